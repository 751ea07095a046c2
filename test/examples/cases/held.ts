/** The examples whose runs wait for a person. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChatModel } from 'troupe'
import { answerElicitation, isElicitation } from 'troupe/mcp'
import { createCashier } from '../../../examples/15-approval-from-another-process/agents.ts'
import { script as cashier } from '../../../examples/15-approval-from-another-process/script.ts'
import { clerkFirst, createDesk as createRefundDesk } from '../../../examples/26-exploring/agents.ts'
import { connectOffice, createDesk as createTravelDesk } from '../../../examples/29-mcp/agents.ts'
import { script as travel } from '../../../examples/29-mcp/script.ts'
import { createHarbour } from '../../../examples/31-watch/agents.ts'
import { script as harbour } from '../../../examples/31-watch/script.ts'
import { createOffice } from '../../../examples/33-inspector/agents.ts'
import { script as office } from '../../../examples/33-inspector/script.ts'
import { createTravelDesk as createTrainDesk } from '../../../examples/34-http/agents.ts'
import { script as train } from '../../../examples/34-http/script.ts'
import { createKitchen } from '../../../examples/35-views/agents.ts'
import { script as kitchen } from '../../../examples/35-views/script.ts'
import { createDesk as createOrderDesk } from '../../../examples/36-otel/agents.ts'
import { script as orders } from '../../../examples/36-otel/script.ts'
import { createOffice as createHarbourOffice } from '../../../examples/37-a2a/agents.ts'
import { script as harbourOffice } from '../../../examples/37-a2a/script.ts'
import { createTravelOffice } from '../../../examples/39-remote-agent/agents.ts'
import { openHarbour, token } from '../../../examples/39-remote-agent/harbour.ts'
import { script as twoCompanies } from '../../../examples/39-remote-agent/script.ts'
import { createSupportDesk } from '../../../examples/40-support-desk/agents.ts'
import { script as supportDesk } from '../../../examples/40-support-desk/script.ts'
import { createBureau } from '../../../examples/41-next-chat/agents.ts'
import { script as bureau } from '../../../examples/41-next-chat/script.ts'
import { createBuyer } from '../../../examples/42-react-app/agents.ts'
import { script as purchases } from '../../../examples/42-react-app/script.ts'
import { createBookingDesk } from '../../../examples/47-plan-approval/agents.ts'
import { script as bookings } from '../../../examples/47-plan-approval/script.ts'
import type { Example } from './example.ts'

const folder = mkdtempSync(join(tmpdir(), 'examples-'))
const mcpOffice = connectOffice(join(folder, 'bookings.txt'))

/** The model of the other company: that of the example. */
let theirModel: ChatModel | undefined
const theirs = await openHarbour({
  provider: 'theirs',
  modelId: 'theirs',
  async generate(request, options) {
    if (theirModel === undefined) throw new Error('The other company has no model yet.')
    return theirModel.generate(request, options)
  },
})

export const heldExamples: readonly Example[] = [
  {
    name: '15-approval-from-another-process',
    create: (model) => createCashier(model, () => undefined),
    script: cashier,
    task: 'Refund A-17, 120 euros, please.',
    outcome: 'completed',
    requests: 2,
  },
  {
    name: '15-approval-from-another-process, denied',
    create: (model) => createCashier(model, () => undefined),
    script: cashier,
    task: 'Refund B-20, 900 euros, please.',
    outcome: 'completed',
    requests: 2,
    answer: ({ toolCallId }) => ({ type: 'deny', toolCallId, reason: 'Older than a year.' }),
  },
  {
    name: '26-exploring',
    create: (model) => createRefundDesk(model, clerkFirst),
    script: {
      'Let the clerk check': ({ number }) => {
        if (number === 0) return [{ name: 'agent-clerk', args: { prompt: 'Check order A-17.' } }]
        if (number === 1) return [{ name: 'agent-payer', args: { prompt: 'Refund order A-17.' } }]
        return 'Done.'
      },
      'Check the order': () => 'It may be refunded.',
      'Refund the order': ({ number }) =>
        number === 0 ? [{ name: 'refund', args: { order: 'A-17' } }] : 'It is refunded.',
    },
    task: 'Refund order A-17.',
    outcome: 'completed',
    requests: 6, // 3 of the desk, 1 of the clerk, 2 of the payer
  },
  {
    name: '29-mcp',
    create: (model) => createTravelDesk(model, mcpOffice),
    script: travel,
    task: 'Book a journey to Oslo.',
    outcome: 'completed',
    requests: 3,
    answer({ toolCallId, payload }) {
      if (!isElicitation(payload)) throw new Error('It is no question of an MCP server.')
      const seat = { action: 'accept', content: { seat: 'window' } } as const
      return { type: 'resume', toolCallId, data: answerElicitation(payload, { seat }) }
    },
    async close() {
      await mcpOffice.close()
      rmSync(folder, { recursive: true })
    },
  },
  {
    name: '47-plan-approval',
    create: createBookingDesk,
    script: bookings,
    task: 'A day in Lübeck, please.',
    outcome: 'completed',
    requests: 2, // the plan, and the answer
  },
  {
    name: '47-plan-approval, rejected once',
    create: createBookingDesk,
    script: bookings,
    task: 'A day in Lübeck, please.',
    outcome: 'completed',
    requests: 3, // two plans, and the answer
    answer: ({ toolCallId }) =>
      toolCallId.endsWith(':1')
        ? { type: 'deny', toolCallId, reason: 'No flights.' }
        : { type: 'approve', toolCallId },
  },
  {
    name: '31-watch',
    create: createHarbour,
    script: harbour,
    task: 'The Aurora asks for berth 4.',
    outcome: 'completed',
    requests: 5, // 3 of the harbour master, 2 of the pilot
  },
  {
    name: '33-inspector',
    create: createOffice,
    script: office,
    task: 'Settle invoice 17',
    outcome: 'completed',
    requests: 7, // 3 of the office, 2 of the clerk and of the payer
  },
  {
    name: '34-http',
    create: createTrainDesk,
    script: train,
    task: 'I have to be in Bergen tomorrow.',
    outcome: 'completed',
    requests: 3,
  },
  {
    name: '35-views',
    create: createKitchen,
    script: kitchen,
    task: 'Leek soup for forty, please.',
    outcome: 'completed',
    requests: 5, // 3 of the kitchen, 2 of the buyer
  },
  {
    name: '36-otel',
    create: createOrderDesk,
    script: orders,
    task: 'Pay order 17 back, please.',
    outcome: 'completed',
    requests: 5, // 3 of the desk, 2 of the clerk
  },
  {
    name: '37-a2a',
    create: createHarbourOffice,
    script: harbourOffice,
    task: 'May the Aurora enter?',
    outcome: 'completed',
    requests: 3,
  },
  {
    name: '39-remote-agent',
    create(model) {
      theirModel = model
      Object.assign(process.env, { HARBOUR_URL: theirs.url, HARBOUR_TOKEN: token })
      return createTravelOffice(model)
    },
    script: twoCompanies,
    task: 'The Aurora arrives on Friday.',
    outcome: 'completed',
    requests: 5, // 2 of the travel office, 3 of the harbour
    close: () => theirs.close(),
  },
  {
    name: '40-support-desk',
    create: createSupportDesk,
    script: supportDesk,
    task: 'The lamp of order A-17 came broken.',
    outcome: 'completed',
    requests: 3,
  },
  {
    name: '42-react-app',
    create: (model) => createBuyer(model, async () => 'P-1'),
    script: purchases,
    task: 'A lamp for the desk at the window.',
    outcome: 'completed',
    requests: 3,
  },
  {
    name: '41-next-chat',
    create: createBureau,
    script: bureau,
    task: 'I have to go to Bergen.',
    outcome: 'completed',
    requests: 5, // 3 of the bureau, 2 of the scout
  },
]
