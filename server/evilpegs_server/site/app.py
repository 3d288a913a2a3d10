from fastapi import FastAPI
from starlette.middleware import Middleware

from evilpegs_server.site.caching import Caching
from evilpegs_server.site.middleware import Guard, HeadAsGet, HostCheck, RefusalCount
from evilpegs_server.site.openapi import openapi_text
from evilpegs_server.site.problems import handle_problems
from evilpegs_server.site.recent_answers import RecentAnswers
from evilpegs_server.site.routes import add_routes
from evilpegs_server.site.site import Site


def create_app(site: Site) -> FastAPI:
    layers = [  # the outermost comes first
        Middleware(RecentAnswers),
        Middleware(RefusalCount, site.registry.counts.http),
        Middleware(Guard, site.log),
        Middleware(HostCheck, site.hosts),
        Middleware(HeadAsGet),
        Middleware(Caching, site.reads),
    ]
    app = FastAPI(openapi_url=None, redirect_slashes=False, middleware=layers)
    add_routes(app)
    handle_problems(app)
    app.state.site = site
    app.state.openapi_text = openapi_text()
    return app
