"""The prompt with an editor, at a real terminal."""

import asyncio
import signal

import pytest


@pytest.fixture
def prompt(keyboard):
    return keyboard.open_prompt(["", "hint", "help"])


@pytest.fixture
async def reading(prompt, keyboard):
    """A line that is being read under a question."""
    prompt.ask(lambda: "1 >")
    task = asyncio.create_task(prompt.read())
    await keyboard.shows("1 >")
    yield task
    prompt.close()
    task.cancel()
    await asyncio.wait([task])


async def test_line_is_edited(reading, keyboard):
    keyboard.type("12\x1b[D3\r")
    assert await reading == "132"
    await keyboard.shows("1 > 132")


async def test_earlier_line_returns(reading, prompt, keyboard):
    keyboard.type("1122\r")
    await reading
    again = asyncio.create_task(prompt.read())
    await keyboard.shows("1 > 1122\n1 >")
    keyboard.type("\x1b[A\r")
    assert await again == "1122"


async def test_tab_completes_command(reading, keyboard):
    keyboard.type("hi\t\r")
    assert await reading == "hint"


async def test_ctrl_d_ends_input(reading, keyboard):
    keyboard.type("\x04")
    assert await reading is None


async def test_ctrl_c_interrupts_program(reading, keyboard):
    loop, interrupted = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGINT, interrupted.set)
    try:
        keyboard.type("\x03")
        await interrupted.wait()
    finally:
        loop.remove_signal_handler(signal.SIGINT)
    assert not reading.done()


async def test_pasted_lines_are_returned_in_turn(reading, prompt, keyboard):
    keyboard.type("1\x1b[200~1\r\n22\n33\x1b[201~")
    assert await reading == "11"
    assert await prompt.read() == "22"
    await keyboard.shows("1 > 11\n1 > 22")
    last = asyncio.create_task(prompt.read())
    await keyboard.shows("1 > 22\n1 > 33")
    keyboard.type("4\r")
    assert await last == "334"


async def test_pasted_lines_are_discarded(reading, prompt, keyboard):
    keyboard.type("\x1b[200~11\n22\n33\x1b[201~")
    assert await reading == "11"
    assert prompt.discard()
    again = asyncio.create_task(prompt.read())
    await keyboard.shows("1 > 11\n1 >")
    keyboard.type("44\r")
    assert await again == "44"


async def test_printed_lines_go_above_typed_text(reading, prompt, keyboard):
    keyboard.type("11")
    await keyboard.shows("1 > 11")
    for line in ("news", "more"):
        with prompt.above() as console:
            console.print(line)
    await keyboard.shows("news\nmore\n1 > 11")
    keyboard.type("22\r")
    assert await reading == "1122"


async def test_status_is_replaced_and_ends_with_next_line(reading, prompt, keyboard):
    for attempt in (1, 2):
        prompt.status(f"attempt {attempt}")
        await keyboard.shows(f"attempt {attempt}\n1 >")
    with prompt.above() as console:
        console.print("back")
    await keyboard.shows("back\n1 >")
    assert not any("attempt" in line for line in keyboard.lines)


async def test_status_without_question_stays_above_it(prompt, keyboard):
    prompt.status("attempt 1")
    await keyboard.shows("attempt 1")
    prompt.status("attempt 2")
    prompt.ask(lambda: "1 >")
    reading = asyncio.create_task(prompt.read())
    await keyboard.shows("attempt 2\n1 >")
    keyboard.type("x\r")
    assert await reading == "x"


async def test_typed_text_stays_for_next_question(reading, prompt, keyboard):
    keyboard.type("34")
    await keyboard.shows("1 > 34")
    prompt.drop()
    await keyboard.shows("34")
    prompt.ask(lambda: "2 >")
    await keyboard.shows("2 > 34")


async def test_question_shows_time_left(reading, prompt, keyboard):
    left = ["0:10"]
    prompt.ask(lambda: f"{left[0]} >")
    await keyboard.shows("0:10 >")
    left[0] = "0:09"
    await keyboard.shows("0:09 >")


async def test_discarded_text_answers_nothing(reading, prompt, keyboard):
    keyboard.type("11")
    await keyboard.shows("1 > 11")
    assert prompt.discard()
    keyboard.type("22\r")
    assert await reading == "22"


async def test_lines_typed_ahead_are_discarded(prompt, keyboard):
    keyboard.type("11\r22\r")
    assert prompt.discard()
    prompt.ask(lambda: "1 >")
    reading = asyncio.create_task(prompt.read())
    await keyboard.shows("1 >")
    keyboard.type("33\r")
    assert await reading == "33"


async def test_closed_prompt_leaves_screen(reading, prompt, keyboard):
    with prompt.above() as console:
        console.print("Goodbye.")
    prompt.close()
    reading.cancel()
    await asyncio.wait([reading])
    await keyboard.shows("Goodbye.")
