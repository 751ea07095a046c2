/** The snapshot of a machine that runs in place of an agent. */
import type { AnyMachineSnapshot } from 'xstate'
import type { RunState } from '../../../runtime/state/run-state.ts'

export function machineSnapshot({ state }: { readonly state: RunState }): AnyMachineSnapshot {
  return state.agent.getSnapshot() as AnyMachineSnapshot
}
