/** The snapshot of a machine that runs in place of an agent. */
import type { AnyMachineSnapshot } from 'xstate'
import type { Engine } from '../../../runtime/engine/engine.ts'

export function machineSnapshot({ engine }: { readonly engine: Engine }): AnyMachineSnapshot {
  return engine.agent.getSnapshot() as AnyMachineSnapshot
}
