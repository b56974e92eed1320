"""The brokerage: fifty invented companies, a watch list and short news."""

from __future__ import annotations

from worlds.catalogs.generate._banks import Files, Row, fields, pick, read_bank
from worlds.catalogs.generate._deck import Deck
from worlds.catalogs.generate._people import SEED


def make_hood() -> Files:
    """Return stocks (with the shares held at the start), watchlist and news."""
    bank = read_bank("microhood")
    deck = Deck(bank, f"{SEED}/hood")
    stocks: list[Row] = []
    for line in bank["stocks"]:
        symbol, name, shares, average, price, colour = fields(line)
        before = float(price) * (1 + deck.rng.uniform(-0.02, 0.02))
        change = round(float(price) - before, 2)
        stocks.append(
            {
                "symbol": symbol,
                "name": name,
                "shares": int(shares),
                "avgCost": float(average),
                "currentPrice": float(price),
                "change": change,
                "changePercent": round(100 * change / before, 2),
                "color": colour,
            }
        )
    by_symbol = {stock["symbol"]: stock for stock in stocks}
    watched: list[Row] = []
    for symbol in bank["watchlist"]:
        stock = by_symbol[symbol]
        part = {key: stock[key] for key in ("name", "change", "changePercent")}
        watched.append({"symbol": symbol, "price": stock["currentPrice"], **part})
    news: list[Row] = []
    for index, title in enumerate(bank["news"]):
        age = f"{2 * index + 1}h" if index < 11 else f"{index - 9}d"
        news.append(
            {"id": f"news-{index + 1:02d}", "source": pick(bank["sources"], index), "title": title, "time": age}
        )
    news.extend(
        {"id": special["id"], "source": deck.deal("sources"), "title": special["title"], "time": "now"}
        for special in bank["special"]
    )
    return {"stocks.jsonl": stocks, "watchlist.jsonl": watched, "news.jsonl": news}
