"""The control of test_storage: a server that does not look whether its database is in its place."""

from evilpegs.main import main
from evilpegs_server.storage.lock import DatabaseLock

if __name__ == "__main__":
    DatabaseLock.check = lambda lock: None
    main()
