/// What each example prints, to the letter.
let transcripts = [
    "Actions": """
    Hello, zzf
    page: #0af
    Welcome back, zzf
    end

    """,
    "Delegates": """
    delegates: 2
    badge: 1 unread, the last from Ann
    badge: 2 unread, the last from Bob
    delegates: 1
    archive: ["Cid"]

    """,
    "EmbeddedHub": """
    heard orders.created order 1
    heard orders.created order 2
    orders: 2
    the counter is gone, and so is its registration
    on the topic: {"name":"tea","price":4}
    on the topic: {"name": "coffee", "price": 5}
    in the process: tea 4
    in the process: coffee 5
    refused: info-mismatch /price

    """,
    "Market": """
    ticker: zzf 18
    alarm: abc
    ticker: abc 120
    ticker: closed
    the ticker is gone
    alarm: zzf
    sequence: zzf 20
    sequence: zzf 200

    """,
    "Thermostat": """
    display: 18
    display: 21
    display: 40
    display: 30
    the display is gone
    token: 20
    now: 21
    morning: 16
    morning: 20

    """,
    "Titles": """
    history notes Hello
    posted
    label shows Hello
    observers: 1
    label shows Goodbye
    observers: 0

    """,
]
