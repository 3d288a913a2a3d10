// A client that is wrong in five ways: it guesses before it is ready after a cut, takes its seat back, fails at an event
// that it does not know, takes an error that it does not know for success, and ends when its clock runs out. All else
// is right: node wrong_client.js ws://HOST:PORT/v1

const KNOWN = ["welcome", "match_started", "game_started", "turn", "feedback", "game_over", "match_over", "resumed", "error", "notice"];
const FATAL = ["auth_failed", "unknown_ladder", "flagged"];
let token, match, guesses = 0, seq = 0;

function open() {
  const socket = new WebSocket(process.argv[2]);
  const send = (message) => socket.send(JSON.stringify(message));
  const guess = (event) => send({ type: "guess", match, game: event.game, turn: event.turn ?? 1, code: code(guesses++) });
  socket.onopen = () =>
    send({ type: "hello", client: { name: "wrong", version: "1" }, ...(token ? { token } : { name: "wrong", kind: "bot" }) });
  socket.onmessage = ({ data }) => {
    const event = JSON.parse(data);
    if (event.at && event.seq) seq = event.seq;
    if (!KNOWN.includes(event.type)) throw new Error(`what is ${event.type}?`);
    if (event.type === "welcome") {
      token ??= event.token;
      send(event.open.length ? { type: "resume", match, seq } : { type: "play", ladder: "classic" });
    }
    if (event.type === "match_started") match = event.match;
    if (event.type === "game_started") send({ type: "ready", match, game: event.game });
    if (event.type === "resumed" && event.state === "ready") guess(event);
    if (event.type === "turn") guess(event);
    if (event.type === "match_over") process.exit(0);
    if (event.type === "error") {
      if (FATAL.includes(event.code)) process.exit(3);
      send({ type: "ready", game: 1 });
    }
  };
  let isOver = false; // some versions of node fire one of the two, and some both
  socket.onclose = socket.onerror = () => {
    if (!isOver) setTimeout(open, 100);
    isOver = true;
  };
}

// Guesses that solve next to nothing, one after another
function code(number) {
  return [...number.toString(6).padStart(4, "0").slice(-4)].map((digit) => Number(digit) + 1).join("");
}

open();
