"""The database: everything that outlives the server process.

Begin with `tables`, which defines the schema. `writer` commits rows in a thread of its own, and `writes` names every
fact that is written. `archive` reads matches and players back, `browse` lists them page by page, `game_sums` adds up
the results of games, `game_turns` reads their turns, and `reads` has the threads that read. `location` finds the files
of a database, `lock` admits one server to it, and `database` opens and migrates it. `chains` verifies hashes, `backup`
copies and checks a database in use, and `errors` and `fault_log` report what is wrong with it. `players` keeps names
and tokens in memory, `server_key` is the key that signs records, and `solved_positions` is the file of positions that
devils have solved.
"""
