/** What of typed answers must, and must not, compile. */
import { createAgent, createSupervisor, createTroupe, openai } from 'troupe'
import { z } from 'zod'

const model = openai('gpt-5-mini')
const schema = z.object({ city: z.string(), at: z.string().transform((text) => new Date(text)) })
const plain = createAgent({ id: 'plain', instructions: '', model })
const shaped = createSupervisor({ id: 'shaped', instructions: '', model, structuredOutput: { schema } })

function expectNothing(_nothing: undefined): void {}

export async function use(): Promise<void> {
  const result = await shaped.generate('Go', { maxSteps: 2 })
  if (result.outcome === 'completed') {
    const { city, at }: { city: string; at: Date } = result.object
    void [city, at]
    // @ts-expect-error there is no such field
    void result.object.town
  }
  // @ts-expect-error only a completed run has one
  void result.object

  const given = await plain.generate('Go', { structuredOutput: { schema: z.object({ ok: z.boolean() }) } })
  if (given.outcome === 'completed') {
    const ok: boolean = given.object.ok
    void ok
  }
  const none = await plain.generate('Go')
  if (none.outcome === 'completed') {
    expectNothing(none.object)
  }
  const run = await createTroupe({ agents: [shaped] }).start(shaped, 'Go')
  const final = await run.result
  if (final.outcome === 'completed') {
    const day: Date = final.object.at
    void day
  }
}
