"""The database: everything that outlives the server process.

Begin with `tables`, which defines the schema. `writer` commits rows in a thread of its own, and `writes` names every
fact that is written. `archive` reads matches and players back, `browse` lists them page by page, and `leaderboards`
keeps the sums of all results in memory. `database` opens, migrates and locks the file, `players` keeps names and tokens
in memory, and `solved_positions` is the file of positions that devils have solved.
"""
