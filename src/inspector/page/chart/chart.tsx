/** The chart of the chosen actor at the row that is shown. */
import type { RunModel } from '../model/run-model.ts'

export function Chart({ model }: { readonly model: RunModel }) {
  return <section class="chart" aria-label={`Chart of ${model.path.value}`} />
}
