/** The actors of a run up to the row that is shown. */
import type { RunModel } from '../model/run-model.ts'

export function Tree({ model }: { readonly model: RunModel }) {
  return <section class="tree" aria-label={`Actors after ${model.cursor.value + 1} entries`} />
}
