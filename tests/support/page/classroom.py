"""The page at an address of a classroom, which others can open."""

CLASSROOM = "http://192.0.2.10:8000/"


def classroom(watched, site):
    """Open the page at an address of a classroom, whose requests but for streams go to the server of the test."""
    watched.url = CLASSROOM
    watched.page.route(
        f"{CLASSROOM}**",
        lambda route: route.fulfill(response=route.fetch(url=route.request.url.replace(CLASSROOM, site))),
    )
    watched.page.route("**/events", lambda route: route.abort())
    return watched
