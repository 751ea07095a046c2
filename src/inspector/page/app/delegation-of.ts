/** The delegation that an actor works for. */
import type { Delegation } from '../actions/open-dialog.ts'
import type { RunModel } from '../model/run-model.ts'

/** The innermost delegation, under way at a row, that is the actor itself or around it. */
export function delegationOf(model: RunModel, path: string, row: number): Delegation | undefined {
  for (let place = model.actors.at(path); place !== undefined; place = place.parent) {
    const actor = place.at(row)
    const started = actor === undefined ? undefined : model.rows[actor.added]
    const event = started?.events.find((one) => one.type === 'delegation-start' && one.path === place?.path)
    if (event?.delegationId !== undefined && actor?.statusAt(row) === 'active') {
      return { delegationId: event.delegationId, agent: event.line.split(' ', 1)[0] ?? place.id }
    }
  }
  return undefined
}
