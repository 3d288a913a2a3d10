from fastapi import FastAPI
from starlette.middleware import Middleware

from evilpegs_server.site.caching import Caching
from evilpegs_server.site.middleware import Guard, HeadAsGet, HostCheck, RefusalCount
from evilpegs_server.site.openapi import openapi_text
from evilpegs_server.site.problems import handle_problems
from evilpegs_server.site.recent_answers import RecentAnswers
from evilpegs_server.site.routes import add_routes
from evilpegs_server.site.services import SiteServices


def create_app(services: SiteServices) -> FastAPI:
    layers = [  # the outermost comes first
        Middleware(RecentAnswers),
        Middleware(RefusalCount, services.registry.counts.http),
        Middleware(Guard, services.log),
        Middleware(HostCheck, services.hosts),
        Middleware(HeadAsGet),
        Middleware(Caching, services.reads),
    ]
    app = FastAPI(openapi_url=None, redirect_slashes=False, middleware=layers)
    add_routes(app)
    handle_problems(app)
    app.state.services = services
    app.state.openapi_text = openapi_text()
    return app
