/**
 * A worker whose troupe is at module level: it serves many requests, one after the other and side by side, and a run that waits
 * goes on in a later request. The platform runs `test` in it. Nothing of Node is there.
 */
import { createAgent, createTool, createTroupe } from 'troupe'
import { z } from 'zod'
import { answer, expected } from '../answer.mjs'

const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
const pay = createTool({
  id: 'pay',
  description: 'Pays.',
  inputSchema: z.object({}),
  requireApproval: true,
  execute: () => 'paid',
})
const model = {
  provider: 'mine',
  modelId: 'clerk',
  async generate({ messages }) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    const asks = messages.at(-1).content === 'Pay.'
    const toolCalls = asks ? [{ id: 'c1', name: 'pay', args: {} }] : []
    return { text: asks ? '' : 'Done.', toolCalls, finishReason: asks ? 'tool-calls' : 'stop', usage }
  },
}
const clerk = createAgent({ id: 'clerk', instructions: 'Pay.', model, tools: { pay } })
const troupe = createTroupe({ agents: [clerk] })

const routes = {
  '/run': async () => (await (await troupe.start(clerk, 'Go.')).result).text,
  async '/start'() {
    const run = await troupe.start(clerk, 'Pay.')
    const { awaiting } = await run.whenIdle
    return `${run.id} ${awaiting[0].toolCallId}`
  },
  async '/approve'(question) {
    const [runId, toolCallId] = question.split(' ')
    await troupe.signal(runId, { type: 'approve', toolCallId })
    return (await (await troupe.resume(runId)).result).text
  },
}

export default {
  async fetch(request) {
    return new Response(await routes[new URL(request.url).pathname](await request.text()))
  },
  async test(_controller, { APP }) {
    for (const turn of ['first', 'second']) {
      const answered = await answer()
      if (answered !== expected) throw new Error(`The ${turn} turn answered: ${answered}`)
    }
    const ask = async (path, body = '') =>
      (await APP.fetch(`http://app${path}`, { method: 'POST', body })).text()
    const answers = [await ask('/run'), await ask('/run')]
    answers.push(...(await Promise.all(Array.from({ length: 4 }, () => ask('/run')))))
    answers.push(await ask('/approve', await ask('/start')))
    if (answers.some((text) => text !== 'Done.')) throw new Error(`The troupe answered: ${answers.join()}`)
    console.log('The worker works.')
  },
}
