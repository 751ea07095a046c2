/** An agent that asks before it pays, and tells an own file what it has done: for commands that load it. */
import { appendFileSync } from 'node:fs'
import { createAgent, createTool } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { z } from 'zod'

const pay = createTool({
  id: 'pay',
  description: 'Pays.',
  inputSchema: z.object({ euros: z.number() }),
  requireApproval: true,
  execute: ({ euros }) => {
    const ledger = process.env['LEDGER']
    if (ledger !== undefined) appendFileSync(ledger, `paid ${euros}\n`)
    return { paid: euros }
  },
})

const model = scriptedModel([], {
  otherwise: ({ messages }) =>
    messages.some(({ role }) => role === 'tool')
      ? 'Paid.'
      : { toolCalls: [{ name: 'pay', args: { euros: 7 } }] },
})

export const payer = createAgent({ id: 'payer', model, tools: { pay } })
