// A complete bot: node complete_bot.js [ws://HOST:PORT/v1] plays a rated match and verifies every game.
// It claims a name, keeps the token in complete_bot.json, and finishes the match when the connection is cut or the bot
// is started again. Before you reuse it, choose another NAME. Node 22 has a WebSocket; for an older one: npm install.

import { createHash, createHmac } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

const WebSocket = globalThis.WebSocket ?? (await import("ws")).WebSocket;
const [NAME, LADDER, TOKEN_FILE] = ["complete-bot-js", "classic", "complete_bot.json"];
const server = process.argv[2] ?? "ws://127.0.0.1:8765/v1";
const sha256 = (text) => createHash("sha256").update(text).digest("hex");

// JSON with sorted keys and without white space
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

function feedback(guess, secret) {
  const count = (code, color) => [...code].filter((other) => other === color).length;
  const black = [...guess].filter((color, peg) => color === secret[peg]).length;
  const matches = [...new Set(guess)].reduce((sum, color) => sum + Math.min(count(guess, color), count(secret, color)), 0);
  return `${black},${matches - black}`;
}

// The secret that follows from both nonces
function drawnSecret(nonce, myNonce, match, game, codes) {
  const [space, size] = [2n ** 256n, BigInt(codes.length)];
  for (let counter = 0; ; counter++) {
    const message = canonical([myNonce, match, game, counter]);
    const number = BigInt("0x" + createHmac("sha256", Buffer.from(nonce, "hex")).update(message).digest("hex"));
    if (number < space - (space % size)) return codes[Number(number % size)];
  }
}

function check(holds, complaint) {
  if (!holds) throw new Error(`the server cheated: ${complaint}`);
}

function checkGame(events, { match, game, nonce, secret }, myNonce, codes) {
  const started = events.find((event) => event.type === "game_started" && event.game === game);
  check(sha256(canonical(["evilpegs-v1", match, game, events[0].rules, nonce])) === started.commitment, "broken commitment");
  if (secret !== null) check(secret === drawnSecret(nonce, myNonce, match, game, codes), "the secret was chosen");
  for (const { type, game: of, code, black, white } of events)
    if (type === "feedback" && of === game) check(feedback(code, secret) === `${black},${white}`, "wrong feedback");
}

function checkRecord(events) {
  const text = ({ re, ...event }) => canonical(event);
  const head = events.slice(0, -1).reduce((before, event) => sha256(before + text(event)), "0".repeat(64));
  check(head === events.at(-1).head, "the record was changed");
}

// Play or finish one match on a connection; resolve to true when it is over.
function play() {
  let token = existsSync(TOKEN_FILE) ? JSON.parse(readFileSync(TOKEN_FILE, "utf8")) : undefined;
  let [events, codes, possible, replayed] = [[], [], [], 0];
  const socket = new WebSocket(server, ["evilpegs.v1"]);
  const send = (message) => socket.send(JSON.stringify(message));
  const myNonce = ({ match, game }) => sha256(`${token} ${match} ${game}`).slice(0, 32); // the same after a restart
  const ready = (event) => send({ type: "ready", match: event.match, game: event.game, nonce: myNonce(event) });
  return new Promise((resolve, reject) => {
    const on = {
      welcome(event) {
        token ??= event.token;
        writeFileSync(TOKEN_FILE, JSON.stringify(token), { mode: 0o600 });
        const [open] = event.open;
        send(open ? { type: "resume", match: open.match, seq: 0 } : { type: "play", ladder: LADDER });
      },
      resumed(event) {
        replayed = event.seq; // every event so far follows
        if (event.state === "ready") ready(event);
      },
      match_started({ symbols, pegs }) {
        codes = [""];
        for (let peg = 0; peg < pegs; peg++) codes = codes.flatMap((code) => [...symbols].map((color) => code + color));
      },
      game_started(event) {
        possible = codes;
        if (event.seq > replayed) ready(event);
      },
      turn({ match, game, turn }) {
        check(possible.length > 0, "no code agrees with every feedback");
        send({ type: "guess", match, game, turn, code: possible[0] });
      },
      feedback({ code, black, white }) {
        possible = possible.filter((other) => feedback(code, other) === `${black},${white}`);
      },
      game_over(event) {
        checkGame(events, event, myNonce(event), codes);
        console.log(`game ${event.game}: ${event.outcome} in ${event.guesses} guesses, verified`);
      },
      match_over({ match }) {
        checkRecord(events);
        console.log(`match ${match}: the record is intact`);
        socket.close();
        resolve(true);
      },
      error({ message }) {
        reject(new Error(message));
      },
    };
    socket.onopen = () => send({ type: "hello", client: { name: NAME, version: "1.0" }, ...(token ? { token } : { name: NAME, kind: "bot" }) });
    socket.onmessage = ({ data }) => {
      const event = JSON.parse(data);
      if ("seq" in event && "at" in event) events.push(event);
      try {
        on[event.type]?.(event); // types this bot does not know are ignored
      } catch (error) {
        reject(error);
      }
    };
    socket.onerror = () => {}; // `onclose` follows
    socket.onclose = () => resolve(false);
  });
}

for (const seconds of [0, 1, 2, 4, 8, 16, 30, 60]) {
  await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  const isOver = await play().catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
  if (isOver) process.exit(0);
  console.error("the connection was cut");
}
console.error("the server does not come back; start again later to finish the match");
process.exit(1);
