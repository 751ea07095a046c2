/** BEHAVIOUR 40 across processes on Postgres, in short; `npm run soak -- postgres` is the long form. */
import { expect, test } from 'vitest'
import { postgresPrograms } from '../support/postgres/server.ts'
import { postgresFencing, postgresSoak } from './postgres-soak.ts'

test.runIf(postgresPrograms() !== undefined)(
  'no run is lost and no settled effect repeated while processes are killed and the server is restarted',
  async () => {
    const report = await postgresSoak({ runs: 8, steps: 16, kills: 6, life: 500, thinking: 20, restarts: 2 })
    expect(report.faults).toEqual([])
    expect(report).toMatchObject({ kills: 6, restarts: 2, lost: 0 })
    expect(report.runs).toBeGreaterThanOrEqual(8)
    expect(report.settled).toBeGreaterThanOrEqual(report.runs * (2 * 16 + 1))
    expect(report.executions).toBe(report.settled + report.inFlight)
  },
)

test.runIf(postgresPrograms() !== undefined)(
  'a process that stood still beyond its lease records nothing more on Postgres',
  async () => {
    const report = await postgresFencing(3)
    expect(report.faults).toEqual([])
    expect(report).toMatchObject({ rounds: 3, toldLost: 3 })
  },
)
