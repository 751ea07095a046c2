/**
 * Every example, watched over each wire by the reader of the other side, and replayed from its journal: the same run, and not
 * one request more.
 */
import { createTroupe, openai, type ChatModel, type RunEvent } from 'troupe'
import { afterAll, expect, test } from 'vitest'
import { startScriptedServer } from '../../examples/support/scripted-server.ts'
import { examples } from './cases/all.ts'
import type { Asked } from './cases/example.ts'
import { readAgain, readByEachWire } from './wires/read.ts'

const approves = ({ toolCallId }: Asked) => ({ type: 'approve', toolCallId }) as const

afterAll(async () => {
  for (const { close } of examples) await close?.()
})

test.for(examples)(
  '$name',
  async ({ create, script, task, outcome, requests, configure, answer = approves }) => {
    await using server = await startScriptedServer(script)
    const opened = Promise.withResolvers<void>()
    const agent = create(modelAt(server.url, opened.promise))
    const troupe = createTroupe({ agents: [agent] })
    await configure?.(troupe)

    const conversationId = 'conversation'
    const run = await troupe.start(agent, task, { conversationId })
    const reading = { agent, runId: run.id, conversationId, task, answer }
    const last = await readByEachWire(troupe, reading, () => opened.resolve())
    const result = await run.result
    const events: RunEvent[] = []
    for await (const event of run.events) events.push(event)
    expect(result.outcome).toBe(outcome)
    expect(server.requests).toBe(requests)
    expect(last).toEqual({ troupe: result.text, agUi: result.text, aiSdk: result.text })
    expect(await readAgain(troupe, reading)).toEqual(last)

    const replay = await troupe.replay(run.id)
    expect(replay.result).toEqual(result)
    expect(replay.events).toEqual(events)
    expect(events.at(-1)).toMatchObject({ type: 'run-finish', final: true, payload: { text: result.text } })
    expect(replay.entries).toBe((await troupe.journal(run.id)).length)
    expect(server.requests).toBe(requests)
    await troupe.close()
  },
)

/** The scripted model, which begins to speak when the readers are there. */
function modelAt(url: string, opened: Promise<void>): ChatModel {
  const model = openai('scripted', { baseURL: url, apiKey: 'scripted' })
  return {
    ...model,
    async generate(request, options) {
      await opened
      return model.generate(request, options)
    },
  }
}
