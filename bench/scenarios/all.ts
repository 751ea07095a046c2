/** The five scenarios that all contestants do. */
import { adding, delegating } from '../jobs/job.ts'
import type { Scenario, ScenarioId } from './scenario.ts'

export const scenarios: Readonly<Record<Exclude<ScenarioId, 'f' | 'g' | 'h'>, Scenario>> = {
  a: {
    id: 'a',
    title: 'one agent, 20 model calls',
    job: adding(20),
    runs: 50,
    concurrent: false,
    rounds: { inProcess: 25, http: 9 },
  },
  b: {
    id: 'b',
    title: 'ten delegations, one after the other',
    job: delegating(10, 1),
    runs: 40,
    concurrent: false,
    rounds: { inProcess: 25, http: 9 },
  },
  c: {
    id: 'c',
    title: 'fifty delegations side by side',
    job: delegating(50, 50),
    runs: 20,
    concurrent: false,
    rounds: { inProcess: 25, http: 9 },
  },
  d: {
    id: 'd',
    title: '1 000 concurrent runs of 3 model calls',
    job: adding(3),
    runs: 1000,
    concurrent: true,
    rounds: { inProcess: 25, http: 15 },
  },
  e: {
    id: 'e',
    title: 'one agent of 1 000 steps',
    job: adding(1000),
    runs: 1,
    concurrent: false,
    rounds: { inProcess: 25, http: 7 },
  },
}
