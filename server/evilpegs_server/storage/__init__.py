"""The database: everything that outlives the server process.

Begin with `tables`, which defines the schema. `writer` commits rows in a thread of its own, `writes` names every fact
that is written, and `writer_health` and `durations` measure the writer. `archive` reads matches and players back,
`browse` lists them page by page, `game_sums` adds up the results of games, `game_turns` reads the turns of games, and
`reads` has the threads that read. `location` finds the files of a database, `lock` keeps a second server from using it,
and `database` opens and migrates it. `chains` verifies the hashes of events, `backup` copies and checks a database in
use, and `errors` and `fault_log` report failures of the database. `players` keeps names and tokens in memory,
`server_key` is the key that signs records, and `solved_positions` is the file of positions that devils, the codemakers
that search ahead, have solved.
"""
