"""microhood: stocks, watchlist, news, orders (specification sentinelbench 3.6).

Prices are curves; `current_prices` is brought up to now by `refresh`. With `compat` orders behave as in the original:
limit orders fill at once at the limit price and quantities may be negative. Otherwise a limit order waits until the
price reaches it and fills then, at the price of that moment.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from worlds.curves import Curve
from worlds.envs.base import Env, Item, Kind, detail, view
from worlds.errors import ToolError
from worlds.service import tool
from worlds.state import SqlValue
from worlds.timeline import Event

__all__ = ["Microhood"]

START_BUYING_POWER = 10_000.0


class Microhood(Env):
    """A broker."""

    key = "microhood"
    title = "MicroHood"
    schema = """
    CREATE TABLE stocks(symbol TEXT, name TEXT, color TEXT, avgCost REAL);
    CREATE TABLE stock_states(symbol TEXT PRIMARY KEY, shares INTEGER, avgCost REAL);
    CREATE TABLE watchlist(symbol TEXT, data TEXT);
    CREATE TABLE watchlist_states(symbol TEXT PRIMARY KEY, inWatchlist INTEGER);
    CREATE TABLE news(id TEXT, data TEXT);
    CREATE TABLE orders(id TEXT, symbol TEXT, action TEXT, quantity INTEGER, price REAL, type TEXT);
    CREATE TABLE pending_orders(number INTEGER PRIMARY KEY, symbol TEXT, action TEXT, quantity INTEGER, limit_price REAL);
    CREATE TABLE current_prices(symbol TEXT PRIMARY KEY, price REAL);
    """  # noqa: E501
    kinds: ClassVar[Mapping[str, Kind]] = {
        "stock": Kind(
            "stock", "stocks", "stocks",
            lambda env, row: {k: row.get(k) for k in ("symbol", "name", "color", "avgCost")},
            "stock_states",
            lambda env, row, preload: {"shares": row.get("shares", 0), "avgCost": row.get("avgCost", 0.0)},
            key="symbol", state_key="symbol", unique=True,
        ),
        "watched": Kind(
            "watched", "watchlist", "watchlist", lambda env, row: {"symbol": row["symbol"], "data": env.data(row)},
            "watchlist_states", lambda env, row, preload: {"inWatchlist": 1},
            key="symbol", state_key="symbol", unique=True,
        ),
        "news": Kind("news", "news", "news", lambda env, row: {"id": row["id"], "data": env.data(row)}),
    }  # fmt: skip
    preload_type = "preload_stocks"
    preload_keys: ClassVar[Mapping[str, str]] = {
        "stock_symbols": "stock",
        "watchlist_symbols": "watched",
        "news_ids": "news",
    }
    arrivals: ClassVar[Mapping[str, tuple[str, str]]] = {"new_news": ("news", "news_id")}
    skips_unknown = True
    listings: ClassVar[Mapping[str, str]] = {
        "microhood-stocks": "stock",
        "microhood-watchlist": "watched",
        "microhood-news": "news",
    }

    def boot(self, seed: str = "") -> None:
        """Create empty tables and no curves."""
        super().boot(seed)
        self.curves: dict[str, Curve] = {}

    # -- events and time ---------------------------------------------------------------------------------------------

    def preload(self, payload: Mapping[str, Any]) -> None:
        """Bring in stocks and their curves."""
        super().preload(payload)
        self.state.set_meta("buying_power", float(payload.get("buying_power", START_BUYING_POWER)))
        waypoints = payload.get("price_waypoints") or {}
        for stock in self.items("stock"):
            start = float(stock.get("currentPrice") or 0.0)
            self.curves[stock["symbol"]] = Curve.from_waypoints(start, waypoints.get(stock["symbol"], ()))
        self.refresh()

    def apply(self, event: Event) -> None:
        """Let an event happen; `set_price` bends a curve at the event's time."""
        super().apply(event)
        if event.type == "set_price" and event.payload.get("symbol") in self.curves:
            symbol = str(event.payload["symbol"])
            self.curves[symbol] = self.curves[symbol].with_knot(event.time, float(event.payload["price"]))
            self.refresh()

    def refresh(self) -> None:
        """Write the prices of now."""
        now = self.clock.now()
        self.state.connection.executemany(
            "INSERT OR REPLACE INTO current_prices(symbol, price) VALUES (?, ?)",
            [(symbol, curve.at(now)) for symbol, curve in self.curves.items()],
        )
        for order in self.state.rows("SELECT * FROM pending_orders ORDER BY number"):
            if self._reached(order, self.price(str(order["symbol"]))):
                self.state.execute("DELETE FROM pending_orders WHERE number = ?", (order["number"],))
                self._fill(
                    str(order["symbol"]),
                    str(order["action"]),
                    _int(order["quantity"]),
                    self.price(str(order["symbol"])),
                    "limit",
                    waiting=True,
                )

    def knots(self, after: float, until: float) -> list[float]:
        """Return when any price curve bends."""
        return sorted({at for curve in self.curves.values() for at, _ in curve.knots if after < at < until})

    def moves(self, after: float, until: float) -> bool:
        """Say whether any price changes in between."""
        return any(
            curve.at(after) != curve.at(until) or any(after < at < until for at, _ in curve.knots)
            for curve in self.curves.values()
            if len(curve.knots) > 1
        )

    def next_own(self, until: float) -> float | None:
        """Return when the next limit order fills."""
        now = self.clock.now()
        times = []
        for order in self.state.rows("SELECT * FROM pending_orders"):
            level = float(order["limit_price"] or 0.0)
            # Selling fills at or above the limit, buying at or below it: one float above the limit is still not reached.  # noqa: E501
            at = self.curves[str(order["symbol"])].crossing(level, after=now)
            if at is not None and now < at <= until:
                times.append(at)
        return min(times, default=None)

    def price(self, symbol: str) -> float:
        """Return the unrounded price of now."""
        return self.curves[symbol].at(self.clock.now())

    def metrics(self) -> Mapping[str, SqlValue]:
        """Return the baselines."""
        positions = sum(self.price(s["symbol"]) * s["shares"] for s in self._holdings())
        power = self._power()
        return {
            "portfolio_value": round(power + positions, 2),
            "buying_power": round(power, 2),
            "positions_value": round(positions, 2),
            "order_count": self.state.count("SELECT COUNT(*) FROM orders"),
            "watchlist_count": self.state.count("SELECT COUNT(*) FROM watchlist_states WHERE inWatchlist = 1"),
            "mcro_price": round(self.price("MCRO"), 2) if "MCRO" in self.curves else 0,
            "news_count": self.state.count("SELECT COUNT(*) FROM news"),
        }

    # -- pages -------------------------------------------------------------------------------------------------------

    @view("portfolio", "Portfolio")
    def portfolio(self) -> Item:
        """Show the value, the positions and the buying power."""
        held = [self._quote(s) for s in self.items("stock") if s["shares"]]
        value = sum(self.price(s["symbol"]) * s["shares"] for s in self._holdings())
        return {
            "portfolioValue": round(self._power() + value, 2),
            "buyingPower": round(self._power(), 2),
            "startValue": float(self.state.meta("baseline_portfolio_value") or 0.0),
            "items": held,
        }

    @view("stocks", "Stocks")
    def stocks(self) -> Item:
        """Show all stocks with their prices."""
        return {"items": [self._quote(stock) for stock in self.items("stock")]}

    @view("watchlist", "Watchlist")
    def watchlist(self) -> Item:
        """Show the watched stocks."""
        flags = self.state.rows("SELECT symbol FROM watchlist_states WHERE inWatchlist = 1 ORDER BY rowid")
        stocks = {stock["symbol"]: stock for stock in self.items("stock")}
        return {"items": [self._quote(stocks[str(f["symbol"])]) for f in flags if f["symbol"] in stocks]}

    @view("news", "News")
    def news(self) -> Item:
        """Show the news, newest first."""
        shown = ("kind", "id", "title", "source", "time", "addedAt")
        return {"items": [{k: n[k] for k in shown if k in n} for n in reversed(self.items("news"))]}

    @view("orders", "Orders")
    def orders(self) -> Item:
        """Show filled and waiting orders, newest first."""
        filled = self.state.rows("SELECT symbol, action, quantity, price, type FROM orders ORDER BY rowid DESC")
        waiting = self.state.rows(
            "SELECT symbol, action, quantity, limit_price FROM pending_orders ORDER BY number DESC"
        )
        return {
            "items": [{"status": "filled", **o} for o in filled],
            "waiting": [{"status": "waiting", **o} for o in waiting],
        }

    @detail("stock")
    def stock(self, id: str) -> Item:  # noqa: A002
        """Show one stock with position and orders."""
        stock = self.item("stock", id)
        mine = self.state.rows(
            "SELECT action, quantity, price, type FROM orders WHERE symbol = ? ORDER BY rowid", (id,)
        )
        watched = self.state.scalar("SELECT inWatchlist FROM watchlist_states WHERE symbol = ?", (id,))
        return {**self._quote(stock), "avgCost": stock["avgCost"], "inWatchlist": bool(watched), "orders": mine}

    @detail("news")
    def news_story(self, id: str) -> Item:  # noqa: A002
        """Show one story."""
        return self.item("news", id)

    # -- actions -----------------------------------------------------------------------------------------------------

    @tool(writes=True, route="POST microhood-stocks/{symbol}/order")
    def order(
        self,
        symbol: str,
        action: Literal["buy", "sell"],
        quantity: int,
        type: Literal["market", "limit"] = "market",  # noqa: A002  # the original's field
        limit_price: float | None = None,
    ) -> Item:
        """Buy or sell shares.

        Args:
            symbol: the stock's symbol.
            action: buy or sell.
            quantity: number of shares.
            type: market fills now at the current price; limit waits for limit_price.
            limit_price: the highest price to buy at, or the lowest to sell at; for limit orders.
        """
        self.item("stock", symbol)
        if type == "limit" and limit_price is None:
            raise ToolError("a limit order needs limit_price")
        if quantity <= 0 and not self.compat:
            raise ToolError(f"quantity must be at least 1, not {quantity}")
        price = self.price(symbol)
        if type == "limit" and limit_price is not None:
            waiting: dict[str, SqlValue] = {
                "symbol": symbol,
                "action": action,
                "quantity": quantity,
                "limit_price": limit_price,
            }
            if self.compat:
                price = limit_price
            elif not self._reached(waiting, price):
                self._check(symbol, action, quantity, limit_price)
                self.state.insert("pending_orders", waiting)
                return {"success": True, "status": "waiting"}
        return self._fill(symbol, action, quantity, price, type)

    @tool(writes=True, route="POST microhood-watchlist/{symbol}/toggle")
    def toggle_watchlist(self, symbol: str) -> Item:
        """Put a stock on the watchlist, or take it off.

        Args:
            symbol: the stock's symbol.
        """
        self.item("stock", symbol)
        new = not self.state.scalar("SELECT inWatchlist FROM watchlist_states WHERE symbol = ?", (symbol,))
        self.state.insert("watchlist_states", {"symbol": symbol, "inWatchlist": int(new)}, replace=True)
        return {"success": True, "inWatchlist": new}

    # -- inside ------------------------------------------------------------------------------------------------------

    def _power(self) -> float:
        return float(self.state.meta("buying_power") or 0.0)

    def _holdings(self) -> list[Item]:
        return [dict(row) for row in self.state.rows("SELECT symbol, shares FROM stock_states")]

    def _quote(self, stock: Item) -> Item:
        """Return what lists show of a stock; change is against the start price."""
        symbol, price = stock["symbol"], self.price(stock["symbol"])
        start = float(stock.get("currentPrice") or 0.0)
        return {
            "kind": "stock",
            "id": symbol,
            "symbol": symbol,
            "name": stock.get("name"),
            "price": round(price, 2),
            "change": round(price - start, 2),
            "changePercent": round((price - start) / start * 100, 2) if start else 0.0,
            "shares": stock["shares"],
        }

    @staticmethod
    def _reached(order: Mapping[str, Any], price: float) -> bool:
        limit = float(order["limit_price"])
        return price <= limit if order["action"] == "buy" else price >= limit

    def _check(self, symbol: str, action: str, quantity: int, price: float) -> None:
        shares = self.state.count("SELECT shares FROM stock_states WHERE symbol = ?", (symbol,))
        if action == "buy" and price * quantity > self._power():
            raise ToolError(f"not enough buying power: {quantity} x {price:.2f} > {self._power():.2f}")
        if action == "sell" and quantity > shares:
            raise ToolError(f"not enough shares: {quantity} > {shares}")

    def _fill(self, symbol: str, action: str, quantity: int, price: float, type: str, *, waiting: bool = False) -> Item:  # noqa: A002
        """Settle an order now; one that had waited and can no longer be paid lapses."""
        try:
            self._check(symbol, action, quantity, price)
        except ToolError:
            if waiting:
                return {"success": False, "status": "lapsed"}
            raise
        state = self.state.row("SELECT shares, avgCost FROM stock_states WHERE symbol = ?", (symbol,)) or {}
        shares, average = _int(state.get("shares")), float(state.get("avgCost") or 0.0)
        signed = quantity if action == "buy" else -quantity
        if action == "buy" and shares + quantity:
            average = (shares * average + quantity * price) / (shares + quantity)
        self.state.update("stock_states", {"shares": shares + signed, "avgCost": average}, key="symbol", equals=symbol)
        self.state.set_meta("buying_power", self._power() - signed * price)
        order: dict[str, SqlValue] = {
            "symbol": symbol,
            "action": action,
            "quantity": quantity,
            "price": round(price, 2),
            "type": type,
        }
        self.state.insert("orders", {"id": None, **order})
        return {"success": True, "status": "filled", "order": order, "buyingPower": round(self._power(), 2)}


def _int(value: SqlValue) -> int:
    return int(value) if isinstance(value, int | float) else 0
