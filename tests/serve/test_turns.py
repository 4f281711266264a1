# SPDX-License-Identifier: Apache-2.0
"""Calls are made one after the other, each in its turn, whatever clients do meanwhile."""

import asyncio
import threading

import pytest

import neuropil.serve.turns
from neuropil.serve import Turns
from neuropil.serve.errors import Gone, Unavailable
from neuropil.serve.turns import Abandoned
from serve.conftest import TOKEN, serving


class Worker:
    """Turns whose calls are made in a thread of their own until the block ends."""

    def __init__(self, **settings) -> None:
        self.turns = Turns(**settings)
        self._thread = threading.Thread(target=self.turns.work)

    def __enter__(self) -> Turns:
        self._thread.start()
        return self.turns

    def __exit__(self, *error) -> None:
        self.turns.close()
        self._thread.join(600)


def never():
    """A client that stays."""
    return asyncio.get_running_loop().create_future()


def test_every_call_gets_its_own_answer_in_the_order_of_arrival():
    running, most, made = 0, 0, []

    def work(number: int) -> bytes:
        nonlocal running, most
        running += 1
        most = max(most, running)
        made.append(number)
        running -= 1
        if number % 7 == 3:
            raise ValueError(f"call {number}")
        return str(number).encode()

    async def all_at_once(turns):
        calls = [turns.turn(f"call {n}", lambda n=n: work(n), never()) for n in range(200)]
        return await asyncio.gather(*calls, return_exceptions=True)

    with Worker() as turns:
        answers = asyncio.run(all_at_once(turns))
    assert made == list(range(200)) and most == 1
    assert [str(each) if n % 7 == 3 else each for n, each in enumerate(answers)] == [
        f"call {n}" if n % 7 == 3 else str(n).encode() for n in range(200)
    ]


def test_waiting_has_an_end_that_names_what_was_running():
    begun, free = threading.Event(), threading.Event()

    async def both(turns):
        first = asyncio.ensure_future(turns.turn("POST /api/Simulate", lambda: begun.set() or (free.wait(600) and b"done"), never()))
        await asyncio.to_thread(begun.wait)
        turns.wait = 0.01
        with pytest.raises(
            Unavailable, match=r"POST /exec waited 0\.01 s .*one call at a time: POST /api/Simulate has been running for \d+ s"
        ):
            await turns.turn("POST /exec", lambda: pytest.fail("made in spite of it"), never())
        free.set()
        return await first

    with Worker() as turns:
        assert asyncio.run(both(turns)) == b"done"


def test_a_call_whose_client_goes_before_its_turn_is_not_made():
    begun, free = threading.Event(), threading.Event()

    async def both(turns):
        first = asyncio.ensure_future(turns.turn("first", lambda: begun.set() or (free.wait(600) and b"1"), never()))
        await asyncio.to_thread(begun.wait)
        with pytest.raises(Gone, match="second"):
            await turns.turn("second", lambda: pytest.fail("made in spite of it"), asyncio.sleep(0))
        third = asyncio.ensure_future(turns.turn("third", lambda: b"3", never()))
        free.set()
        return [await first, await third]

    with Worker() as turns:
        assert asyncio.run(both(turns)) == [b"1", b"3"]


def test_a_running_call_whose_client_goes_is_stopped_once():
    """Here the call itself looks whether it is to be stopped; in the command a signal does."""
    asked = threading.Event()

    def work() -> bytes:
        assert asked.wait(600)
        turns.stop_abandoned()
        return b"made in spite of it"

    async def both():
        gone = asyncio.get_running_loop().create_future()
        call = asyncio.ensure_future(turns.turn("run", lambda: begun.set() or work(), gone))
        await asyncio.to_thread(begun.wait)
        gone.set_result(None)
        with pytest.raises(Gone, match="run was stopped"):
            await call
        return await turns.turn("next", lambda: turns.stop_abandoned() or b"fine", never())

    begun = threading.Event()
    with Worker(interrupt=asked.set) as turns:
        assert asyncio.run(both()) == b"fine"


def test_only_an_abandoned_call_is_stopped():
    turns = Turns()
    turns.stop_abandoned()
    assert issubclass(Abandoned, BaseException) and not issubclass(Abandoned, Exception)  # scripts that catch all errors are stopped, too


def test_the_end_of_the_server_is_told_to_the_client():
    def interrupted() -> bytes:
        raise KeyboardInterrupt

    turns, found = Turns(), []

    def ask() -> None:
        async def turn():
            with pytest.raises(Unavailable, match="the server ends"):
                await turns.turn("run", interrupted, never())
            found.append(True)

        asyncio.run(turn())

    asking = threading.Thread(target=ask)
    asking.start()
    with pytest.raises(KeyboardInterrupt):
        turns.work()
    asking.join(600)
    assert found == [True]


def test_too_many_calls_are_refused_at_once(monkeypatch):
    monkeypatch.setattr(neuropil.serve.turns, "MOST_WAITING", 3)

    async def one_more(turns):
        waiting = [asyncio.ensure_future(turns.turn("waits", bytes, never())) for _ in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(Unavailable, match="3 calls wait"):
            await turns.turn("one more", bytes, never())
        for each in waiting:
            each.cancel()

    asyncio.run(one_more(Turns()))


async def request(port: int, body: bytes, leave: bool) -> bytes:
    """One request on a connection of its own; who leaves does so before the answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"POST /api/Create HTTP/1.1\r\nHost: localhost\r\nNESTServerAuth: {TOKEN}\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    await writer.drain()
    found = b"" if leave else await reader.read()
    writer.close()
    return found


async def requests(port: int, count: int) -> list[bytes]:
    return await asyncio.gather(*(request(port, b'{"model": "iaf_psc_exp"}', leave=n % 10 == 9) for n in range(count)))


@pytest.mark.parametrize("count", [40, pytest.param(1000, marks=pytest.mark.slow)])
def test_parallel_clients_some_of_which_leave(count):
    """Each call that is made creates one node: no two answers are the same, and none is lost."""
    with serving() as client:
        client.api("ResetKernel")
        replies = [reply for reply in asyncio.run(requests(client.port, count)) if reply]
        assert {reply.split(b"\r\n", 1)[0] for reply in replies} == {b"HTTP/1.1 200 OK"}
        nodes = [int(reply.rsplit(b"[", 1)[1].strip(b"]")) for reply in replies]
        assert len(set(nodes)) == len(nodes) == count - count // 10
        assert max(nodes) <= client.ask("/api/network_size")[1] <= count
        client.api("ResetKernel")
