/** A run of any kind is shown without a type argument. */
import type { Run, Troupe } from 'troupe'
import { useRun, type ConnectionState, type RunState } from 'troupe/react'
import type { RestateTroupe } from 'troupe/restate'
import type { RunView } from 'troupe/view'
import { expectType } from '../expect-type.ts'

export function Shown(run: Run, troupe: Troupe, elsewhere: RestateTroupe): void {
  const { view, connection, approve } = useRun('/api/runs/r1')
  expectType<RunView>()(view)
  expectType<ConnectionState>()(connection)
  expectType<Promise<void>>()(approve('desk/call:1.1', { by: 'Ada' }))
  expectType<RunState>()(useRun(run))
  useRun({ service: troupe, runId: 'r1' })
  useRun({ service: elsewhere, runId: 'r1' })
  useRun(undefined, { headers: async () => ({ authorization: 'Bearer ada' }) })
  // @ts-expect-error: an unknown option
  useRun('/api/runs/r1', { header: {} })
  // @ts-expect-error: a troupe alone is no run
  useRun(troupe)
}
