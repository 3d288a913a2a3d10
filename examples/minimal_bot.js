// A small bot: node minimal_bot.js [ws://HOST:PORT/v1] plays a practice game as a guest.
// Node 22 has a WebSocket of its own; for an older one run `npm install` here first.

const WebSocket = globalThis.WebSocket ?? (await import("ws")).WebSocket;
const socket = new WebSocket(process.argv[2] ?? "ws://127.0.0.1:8765/v1", ["evilpegs.v1"]);
const send = (message) => socket.send(JSON.stringify(message));
let codes = [];

function feedback(guess, secret) {
  const count = (code, color) => [...code].filter((other) => other === color).length;
  const black = [...guess].filter((color, peg) => color === secret[peg]).length;
  const colors = [...new Set(guess)];
  const matches = colors.reduce((sum, color) => sum + Math.min(count(guess, color), count(secret, color)), 0);
  return `${black},${matches - black}`;
}

const on = {
  match_started({ symbols, pegs }) {
    codes = [""];
    for (let peg = 0; peg < pegs; peg++) codes = codes.flatMap((code) => [...symbols].map((color) => code + color));
  },
  game_started({ match, game }) {
    send({ type: "ready", match, game });
  },
  turn({ match, game, turn }) {
    send({ type: "guess", match, game, turn, code: codes[0] });
  },
  feedback({ code, black, white }) {
    codes = codes.filter((other) => feedback(code, other) === `${black},${white}`);
  },
  game_over({ outcome, guesses, secret }) {
    console.log(printable(`${outcome} in ${guesses} guesses; the secret was ${secret}`));
  },
  match_over() {
    socket.close();
  },
  error({ message }) {
    fail(message);
  },
};

// Of a server, which must not send commands to this terminal
const printable = (text) => String(text).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");

function fail(why) {
  console.error(printable(why));
  process.exit(1);
}

socket.onerror = (event) => fail(event.message || "no server listens there");
socket.onmessage = ({ data }) => {
  let event;
  try {
    event = JSON.parse(data);
  } catch {
    fail("the server sent what is not JSON"); // the error of node would quote it
  }
  on[event.type]?.(event); // types this bot does not know are ignored
};
socket.onopen = () => {
  send({ type: "hello", client: { name: "minimal-bot-js", version: "1" } });
  send({ type: "play", ladder: "classic-practice" });
};
