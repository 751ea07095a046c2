/** The data of a provider passes processors and hooks unseen, and comes back with the reply that was accepted. */
import type { AgentOptions, Message, OutputProcessor } from 'troupe'
import { expect, test } from 'vitest'
import { shown, worker } from '../../support/agents/agents.ts'
import { tool } from '../../support/agents/tool-groups.ts'

const sealed = (seal: string) => ({
  text: `Said ${seal}.`,
  toolCalls: [{ name: 'note', providerData: { seal: `${seal} call` } }],
  providerData: { seal },
})

const dataOf = (messages: readonly Message[]) =>
  messages.flatMap((message) =>
    message.role === 'assistant'
      ? [[message.content, message.providerData, message.toolCalls?.map((call) => call.providerData)]]
      : [],
  )

test('an observing hook sees the calls without it, and the message has it', async () => {
  const seen: unknown[] = []
  const { agent, model } = worker('solo', [sealed('first'), 'Done.'], {
    tools: { note: tool('note') },
    onStepFinish: (context) => void seen.push(context.toolCalls),
  })
  expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed' })
  expect(JSON.stringify(seen)).toContain('note')
  expect(JSON.stringify(seen)).not.toContain('seal')
  expect(dataOf(shown(model, 2))).toEqual([['Said first.', { seal: 'first' }, [{ seal: 'first call' }]]])
})

const whole = (seen: unknown[]): OutputProcessor => ({
  id: 'whole',
  processOutput(context) {
    seen.push(context.toolCalls)
    return context.text.replace('Said', 'Wrote')
  },
})

const streamed = (seen: unknown[]): OutputProcessor => ({
  id: 'streamed',
  processOutputStream({ part }) {
    seen.push(part)
    return part.text.replace('Said', 'Wrote')
  },
})

test.each([
  { way: 'whole', processor: whole },
  { way: 'as it streams', processor: streamed },
])('a processor of a reply, $way, changes the text and not the data', async ({ processor }) => {
  const seen: unknown[] = []
  const outputProcessors: AgentOptions['outputProcessors'] = [processor(seen)]
  const { agent, model } = worker('solo', [sealed('first'), 'Done.'], {
    tools: { note: tool('note') },
    outputProcessors,
  })
  expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed' })
  expect(seen).not.toEqual([])
  expect(JSON.stringify(seen)).not.toContain('seal')
  expect(dataOf(shown(model, 2))).toEqual([['Wrote first.', { seal: 'first' }, [{ seal: 'first call' }]]])
})

test('a reply that a processor refuses leaves nothing of it', async () => {
  const refusesOnce: OutputProcessor = {
    id: 'strict',
    processOutput({ text, abort }) {
      if (text.includes('first')) abort('not so', { retry: true })
    },
  }
  const { agent, model } = worker('solo', [sealed('first'), sealed('second'), 'Done.'], {
    tools: { note: tool('note') },
    outputProcessors: [refusesOnce],
    maxProcessorRetries: 1,
  })
  expect(await agent.generate('Go')).toMatchObject({ outcome: 'completed' })
  expect(dataOf(shown(model, 2))).toEqual([])
  expect(dataOf(shown(model, 3))).toEqual([['Said second.', { seal: 'second' }, [{ seal: 'second call' }]]])
})
