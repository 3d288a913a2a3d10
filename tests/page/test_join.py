"""The way in for a class: slips with links and QR codes, names with tokens, open rounds, and copying on plain http."""

import pytest
from playwright.sync_api import expect

from evilpegs.slips import join_link, slips
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.log.rounds import Round, open_round
from support.browser import follow, look
from support.named_players import given_names
from support.page.qr_codes import read_codes
from support.threaded_server import server_in_thread

pytestmark = pytest.mark.full
NO_STORAGE = "Object.defineProperty(window, 'localStorage', {get() { throw new Error('blocked'); }})"
NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', {value: undefined})"


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    return f"sqlite:///{tmp_path_factory.mktemp('join') / 'join.sqlite3'}"


@pytest.fixture(scope="module")
def tokens(database):
    """The tokens of two students, for whom the round *cup* is open."""
    given = given_names(database, ["annika", "bertil"])
    engine = open_database(database)
    open_round(engine, Round("cup", "classic", 1, sealed=False, opens=0, closes=None, published=None), list(given))
    engine.dispose()
    return given


@pytest.fixture(scope="module")
def server(database, tokens):
    with server_in_thread(database, registration="closed") as running:
        yield running


def expect_round_can_be_entered(page):
    page.get_by_role("link", name="Enter the round cup").click()
    page.get_by_role("button", name="Start the match").wait_for()
    expect(page.locator("player-panel .who strong")).to_have_text("annika")


def test_code_on_slip_lets_a_phone_into_the_round(open_view, server, tokens, tmp_path):
    (tmp_path / "slips.html").write_text(slips(server.site_url, tokens))
    page = open_view("#/nothing", viewport={"width": 390, "height": 664})
    paper = page.context.new_page()
    paper.goto((tmp_path / "slips.html").as_uri())
    pictures = [tmp_path / f"{name}.png" for name in tokens]
    for section, picture in zip(paper.locator("section").all(), pictures, strict=True):
        section.screenshot(path=picture)
    paper.close()
    links = read_codes(*pictures)
    assert links == [join_link(server.site_url, name, token) for name, token in tokens.items()]
    follow(page, f"#{links[0].partition('#')[2]}")
    expect(page.locator("join-view [role=status]")).to_contain_text("You play as annika")
    assert page.url.endswith("#/join")  # no token in the address, nor in the history
    page.go_back()
    assert tokens["annika"] not in page.url
    page.go_forward()
    expect_round_can_be_entered(page)


def test_name_and_token_are_typed(open_view, tokens):
    page = open_view("#/join")
    page.get_by_label("Name").fill("annika")
    for token, said in (("12ab", "this one has 4"), ("x" * 64, "and others among them")):
        page.get_by_label("Token").fill(token)
        page.get_by_role("button", name="Play under this name").click()
        expect(page.get_by_role("alert")).to_contain_text(said)
    typed = tokens["annika"].upper()
    page.get_by_label("Token").fill(f"{typed[:32]} {typed[32:]}")
    page.get_by_role("button", name="Play under this name").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    look(page, "join")
    expect_round_can_be_entered(page)


def test_closed_list_offers_the_name_that_was_given(open_view, tokens):
    page = open_view("#/server/classic")
    page.get_by_label("New name").fill("somebody")
    page.get_by_role("button", name="Take this name").click()
    expect(page.get_by_role("alert")).to_contain_text("the name and the token that you were given")
    page.get_by_label("Name that you were given").fill("bertil")
    page.get_by_label("Its token").fill("12ab")
    page.get_by_role("button", name="Use it").click()
    expect(page.get_by_role("alert")).to_contain_text("64 characters")
    page.get_by_label("Its token").fill(tokens["bertil"])
    page.get_by_role("button", name="Use it").click()
    expect(page.locator("player-panel .who strong")).to_have_text("bertil")
    page.get_by_role("button", name="Start the match").wait_for()


def test_front_page_and_round_lead_into_an_open_round(open_view):
    page = open_view()
    page.get_by_role("link", name="Enter it").click()
    page.get_by_role("link", name="enter your name and token").click()
    page.get_by_label("Token").wait_for()


def test_name_lasts_while_the_page_is_open_where_storage_is_blocked(open_view, server, tokens):
    page = open_view("#/nothing")
    page.add_init_script(NO_STORAGE)
    page.reload()
    page.locator("not-found-view h1").wait_for()
    follow(page, f"#{join_link(server.site_url, 'annika', tokens['annika']).partition('#')[2]}")
    expect(page.locator("join-view [role=status]")).to_contain_text("until you close the page")
    expect_round_can_be_entered(page)
    follow(page, "#/round/cup")
    expect(page.get_by_role("link", name="Enter this round")).to_be_visible()


def test_text_is_copied_on_plain_http(open_view):
    page = open_view("#/nothing")
    page.add_init_script(NO_CLIPBOARD)
    page.reload()
    page.locator("not-found-view h1").wait_for()
    follow(page, "#/bots")
    text = page.locator("copy-text#python textarea").input_value()
    page.locator("copy-text#python").get_by_role("button", name="Copy").click()
    expect(page.locator("copy-text#python [role=status]")).to_have_text("Copied.")
    page.locator("#code").fill("")
    page.locator("#code").press("Control+V")
    expect(page.locator("#code")).to_have_value(text)
