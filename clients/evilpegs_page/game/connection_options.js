/**
 * What a connection needs of the browser; tests give their own sockets, timers and randomness. This module has types only.
 */

/** @import { ServerMessage, Welcome } from "./messages.js" */

/**
 * @typedef {object} Socket the part of a WebSocket that is used
 * @property {(text: string) => void} send
 * @property {(code?: number) => void} close
 * @property {number} [readyState]
 * @property {((event: any) => void) | null} onopen
 * @property {((event: {data: unknown}) => void) | null} onmessage
 * @property {((event: {code: number}) => void) | null} onclose
 */

/**
 * @typedef {object} Timers
 * @property {() => number} now milliseconds that never go back
 * @property {(callback: () => void, ms: number) => unknown} set
 * @property {(timer: any) => void} clear
 */

/**
 * @typedef {object} Options
 * @property {() => Socket} openSocket
 * @property {Timers} timers
 * @property {() => number} random
 * @property {() => Record<string, unknown>} hello the fields of `hello` besides its type
 * @property {(welcome: Welcome) => void} onWelcome
 * @property {(message: ServerMessage, arrivedAt: number) => void} onMessage is called with every message but `welcome`
 * @property {() => void} onState is called after the state or the cause of a refusal has changed
 */

export {};
