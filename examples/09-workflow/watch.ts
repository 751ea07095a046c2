/** The states of one machine, out of all that an inspector is shown. */
import type { AnyActor, InspectionEvent } from 'xstate'

/** For `createTroupe({ inspect })`: tells each state that a machine with this id enters. */
export function watchMachine(id: string, tell: (state: string) => void): (event: InspectionEvent) => void {
  let last = ''
  return (event) => {
    if (event.type !== '@xstate.snapshot') return
    const { id: machine } = (event.actorRef as AnyActor).logic as { id?: string }
    const { value } = event.snapshot as { value?: unknown }
    if (machine !== id || typeof value !== 'string' || value === last) return
    last = value
    tell(value)
  }
}
