from typing import Final

from fastapi import FastAPI

from evilpegs_server.site.routes import health, ladders, live, matches, metrics, page, players

API: Final = "/api/v1"


def add_routes(app: FastAPI) -> None:
    app.include_router(page.router)
    app.include_router(health.router)
    app.include_router(metrics.router)
    for subject in (ladders, players, matches, live):
        app.include_router(subject.router, prefix=API)
