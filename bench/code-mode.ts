/**
 * Tokens of a task of five dependent calls over a hundred rows: by ordinary calls of tools, and by one program. The models follow a
 * script, so the requests are what is measured: their characters, divided by four.
 */
import { createAgent, createSupervisor, createTool, type ChatModel, type ModelRequest } from 'troupe'
import { codeMode } from 'troupe/code-mode'
import { z } from 'zod'

const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }

const rows = Array.from({ length: 100 }, (_, place) => ({
  id: `order-${place}`,
  customer: `customer-${place % 7}`,
  euros: ((place * 37) % 200) + 1,
  note: 'Deliver in the morning, please, and leave it at the door.',
}))

const customer = z.object({ customer: z.string() })

const tools = {
  orders: createTool({
    id: 'orders',
    description: 'Lists all orders.',
    inputSchema: z.object({}),
    execute: () => rows,
  }),
  address: createTool({
    id: 'address',
    description: 'Gives the address of a customer.',
    inputSchema: customer,
    execute: (asked) => ({ ...asked, street: 'High Street 1', city: 'Oslo' }),
  }),
  credit: createTool({
    id: 'credit',
    description: 'Gives the credit of a customer.',
    inputSchema: customer,
    execute: () => ({ euros: 120 }),
  }),
  discount: createTool({
    id: 'discount',
    description: 'Gives the discount for an amount.',
    inputSchema: z.object({ euros: z.number() }),
    execute: ({ euros }) => ({ euros: euros / 10 }),
  }),
  invoice: createTool({
    id: 'invoice',
    description: 'Writes an invoice.',
    inputSchema: z.object({ customer: z.string(), street: z.string(), euros: z.number() }),
    execute: (written) => ({ number: 1, ...written }),
  }),
}

interface Step {
  readonly name: string
  readonly args: Record<string, string | number>
}

interface Measured {
  readonly model: ChatModel
  readonly tokens: () => number
}

function follows(steps: readonly Step[]): Measured {
  let characters = 0
  let made = 0
  const model: ChatModel = {
    provider: 'bench',
    modelId: 'script',
    async generate({ messages, tools: offered }: ModelRequest) {
      characters += JSON.stringify({ messages, offered }).length
      const step = steps[made++]
      const said = step === undefined ? 'The invoice is written.' : ''
      const toolCalls = step === undefined ? [] : [{ id: `call-${made}`, ...step }]
      characters += said.length + JSON.stringify(toolCalls).length
      return { text: said, toolCalls, finishReason: step === undefined ? 'stop' : 'tool-calls', usage }
    },
  }
  return { model, tokens: () => Math.round(characters / 4) }
}

const program = `
const all = await tools.orders({})
const sums = {}
for (const { customer, euros } of all) sums[customer] = (sums[customer] ?? 0) + euros
const [customer, sum] = Object.entries(sums).sort((a, b) => b[1] - a[1])[0]
const { street } = await tools.address({ customer })
const credit = await tools.credit({ customer })
const discount = await tools.discount({ euros: sum })
return tools.invoice({ customer, street, euros: sum - credit.euros - discount.euros })
`

const name = 'customer-3'
const one = follows([
  { name: 'orders', args: {} },
  { name: 'address', args: { customer: name } },
  { name: 'credit', args: { customer: name } },
  { name: 'discount', args: { euros: 1500 } },
  { name: 'invoice', args: { customer: name, street: 'High Street 1', euros: 1230 } },
])
await createAgent({ id: 'calls', model: one.model, tools, maxSteps: 10 }).generate(
  'Invoice the best customer.',
)

const other = follows([{ name: 'agent-code', args: { prompt: program } }])
const code = codeMode({ id: 'code', tools })
const lead = createSupervisor({ id: 'lead', model: other.model, agents: { code } })
const { outcome } = await lead.generate('Invoice the best customer.')

console.log(`five ordinary calls   ${one.tokens()} tokens`)
console.log(`one program           ${other.tokens()} tokens, ${outcome}`)
console.log(`ratio                 ${(one.tokens() / other.tokens()).toFixed(1)}`)
