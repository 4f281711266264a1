: SPDX-License-Identifier: Apache-2.0
COMMENT
Artificial spiking cell of Hines, Kumar and Schuermann (2011), written from the paper: m moves from 0 to 1 in an interval drawn uniformly, with
m' = (m_inf - m) / tau. A spike that comes moves m by its weight, which moves the time at which the cell will fire.
ENDCOMMENT

NEURON {
  THREADSAFE
  ARTIFICIAL_CELL IntervalFire
  RANGE tau, interval_min, interval_max, m, m_inf, t0, fired
  RANDOM draws
}

PARAMETER {
  tau = 5 (ms)
  interval_min = 20 (ms)
  interval_max = 40 (ms)
}

ASSIGNED {
  m
  m_inf
  t0 (ms)
  next (ms)
  fired
}

INITIAL {
  fired = 0
  begin()
  net_send(next, 1)
}

NET_RECEIVE (w) {
  INITIAL { w = w }
  if (flag == 1) {
    fired = fired + 1
    net_event(t)
    begin()
    net_send(next, 1)
  } else {
    m = m_inf + (m - m_inf) * exp(-(t - t0) / tau) + w
    t0 = t
    if (m >= 1) {
      net_move(t)
    } else {
      net_move(t + tau * log((m_inf - m) / (m_inf - 1)))
    }
  }
}

PROCEDURE begin() {
  next = random_uniform(draws, interval_min, interval_max)
  m = 0
  m_inf = 1 / (1 - exp(-next / tau))
  t0 = t
}
