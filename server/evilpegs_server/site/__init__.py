"""The site: the HTTP API, the page, health and metrics. `app` lists the middleware around the `routes`."""
