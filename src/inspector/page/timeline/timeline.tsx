/** The effects of a run over its logical time, in one lane for each agent. */
import type { RunModel } from '../model/run-model.ts'

export function Timeline({ model }: { readonly model: RunModel }) {
  return <section class="timeline" aria-label={`Timeline of ${model.length.value} entries`} />
}
