# SPDX-License-Identifier: Apache-2.0
"""A network by requests to NEST Server, as programs in any language can make them.

Start the server in one terminal and this script in another:

    NEUROPIL_SERVE_TOKEN=choose-a-token neuropil serve
    NEUROPIL_SERVE_TOKEN=choose-a-token python examples/nest_server.py
"""

import json
import os
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen


def main(url: str = "http://localhost:52425", token: str = "") -> float:
    """Neurons with noise, each inhibited by ten others. Returns their mean rate (spikes/s)."""

    def nest(function: str, **arguments):
        body = json.dumps(arguments).encode()
        request = Request(f"{url}/api/{function}", body, {"NESTServerAuth": token, "Content-Type": "application/json"})
        try:
            with urlopen(request) as reply:
                return json.load(reply)
        except HTTPError as error:
            raise SystemExit(f"{function}: {json.load(error)['message']}") from error

    nest("ResetKernel")
    nest("SetKernelStatus", params={"rng_seed": 7})
    cells = nest("Create", model="iaf_psc_exp", n=200)
    noise = nest("Create", model="poisson_generator", params={"rate": 6500.0})
    recorder = nest("Create", model="spike_recorder")
    nest("Connect", pre=noise, post=cells, syn_spec={"weight": 50.0})
    nest("Connect", pre=cells, post=cells, conn_spec={"rule": "fixed_indegree", "indegree": 10}, syn_spec={"weight": -200.0, "delay": 1.5})
    nest("Connect", pre=cells, post=recorder)
    nest("Simulate", t=500.0)
    (events,) = nest("GetStatus", nodes_or_conns=recorder, keys="events")
    rate = len(events["times"]) / len(cells) / 0.5
    print(f"{len(events['times'])} spikes of {len(cells)} neurons in 500 ms: {rate:.1f} spikes/s")
    return rate


if __name__ == "__main__":
    main(*sys.argv[1:2], token=os.environ.get("NEUROPIL_SERVE_TOKEN", ""))
