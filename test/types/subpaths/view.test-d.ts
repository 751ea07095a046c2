/** Views are made of the events of any run, and their parts are discriminated by type. */
import type { JsonValue, Run } from 'troupe'
import type { RestateRun } from 'troupe/restate'
import { callIn, emptyView, nextView, viewOf, viewsOf, type RunView } from 'troupe/view'
import { expectType } from '../expect-type.ts'

export async function views(run: Run, elsewhere: RestateRun): Promise<void> {
  expectType<AsyncGenerator<RunView, void>>()(viewsOf(run.events))
  for await (const event of elsewhere.events) expectType<RunView>()(nextView(emptyView, event))
  const view = viewOf([])
  for (const part of view.agents.at(0)?.parts ?? []) {
    if (part.type === 'tool') expectType<JsonValue | undefined>()(part.result)
    if (part.type === 'delegation') expectType<string>()(part.agents.at(-1)?.text ?? '')
    // @ts-expect-error: a part of another type may have no result
    expectType<unknown>()(part.result)
  }
  expectType<'tool' | 'delegation' | undefined>()(callIn(view, 'desk/call:1.1')?.type)
  // @ts-expect-error: events, and not a run
  viewsOf(run)
  // @ts-expect-error: a view is never changed
  view.text = ''
}
