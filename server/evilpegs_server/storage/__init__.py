"""The database: everything that outlives the server process.

Begin with `tables`, which defines the schema. `writer` commits rows in a thread of its own, and `writes` names every
fact that is written. `archive` reads matches and players back, `browse` lists them page by page, and `leaderboards`
keeps the sums of all results in memory. `location` finds the files of a database, `lock` admits one server to it, and
`database` opens and migrates it. `chains` verifies hashes, `backup` copies and checks a database in use, `errors` and
`fault_log` say what is wrong with it. `players` keeps names and tokens in memory, and `solved_positions` is the file of
positions that devils have solved.
"""
