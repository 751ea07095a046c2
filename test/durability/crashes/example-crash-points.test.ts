/** BEHAVIOUR 40: every example, cut before and after each append and each model call, and finished by another process. */
import {
  createTroupe,
  memoryStore,
  type AnyAgent,
  type ChatModel,
  type JsonValue,
  type ModelReply,
  type ModelRequest,
  type WholeStore,
  textOf,
} from 'troupe'
import { expect, test } from 'vitest'
import { createResearchDesk } from '../../../examples/01-research-desk/agents.ts'
import { deskScript } from '../../../examples/01-research-desk/script.ts'
import { createBookkeeper } from '../../../examples/02-hello-agent/agents.ts'
import { script as bookkeeping } from '../../../examples/02-hello-agent/script.ts'
import { createFrontDesk } from '../../../examples/03-bail/agents.ts'
import { script as frontDesk } from '../../../examples/03-bail/script.ts'
import { createShop } from '../../../examples/04-inspector/agents.ts'
import { script as shop } from '../../../examples/04-inspector/script.ts'
import { createPlanner } from '../../../examples/05-hooks/agents.ts'
import { script as planner } from '../../../examples/05-hooks/script.ts'
import { createClerk } from '../../../examples/06-scoring/agents.ts'
import { script as clerk } from '../../../examples/06-scoring/script.ts'
import { createFestival } from '../../../examples/07-nested-supervisors/agents.ts'
import { script as festival } from '../../../examples/07-nested-supervisors/script.ts'
import { createReader } from '../../../examples/08-structured-output/agents.ts'
import { script as reader } from '../../../examples/08-structured-output/script.ts'
import { createBakery } from '../../../examples/09-workflow/agents.ts'
import { script as bakery } from '../../../examples/09-workflow/script.ts'
import { createDesk } from '../../../examples/10-testing-your-own/agents.ts'
import { createSupport } from '../../../examples/11-processors/agents.ts'
import { script as support } from '../../../examples/11-processors/script.ts'
import { createTravelDesk } from '../../../examples/17-router/agents.ts'
import { script as travelDesk } from '../../../examples/17-router/script.ts'
import { createTravelAgent } from '../../../examples/18-planner/agents.ts'
import { script as travel } from '../../../examples/18-planner/script.ts'
import { createRiskDesk } from '../../../examples/19-fan-out/agents.ts'
import { script as riskDesk } from '../../../examples/19-fan-out/script.ts'
import { createCompanyDesk } from '../../../examples/20-meta-router/agents.ts'
import { loadConfig } from '../../../examples/20-meta-router/config.ts'
import { script as companyDesk } from '../../../examples/20-meta-router/script.ts'
import { createEstimator } from '../../../examples/21-reflexion/agents.ts'
import { script as estimator } from '../../../examples/21-reflexion/script.ts'
import { createCouncil } from '../../../examples/22-debate/agents.ts'
import { script as council } from '../../../examples/22-debate/script.ts'
import { createParcelDesk } from '../../../examples/23-dispatcher/agents.ts'
import { script as parcelDesk } from '../../../examples/23-dispatcher/script.ts'
import { createHelpDesk } from '../../../examples/24-handoff/agents.ts'
import { script as helpDesk } from '../../../examples/24-handoff/script.ts'
import { createPartnerCheck } from '../../../examples/25-partner-risk/agents.ts'
import { script as partnerCheck } from '../../../examples/25-partner-risk/script.ts'
import type { Script, ScriptedReply, Turn } from '../../../examples/support/scripted-server.ts'
import { expectCut, uncut } from './crash-sweep.ts'
import { withoutRun } from './hashed-company.ts'
import { MortalWorld } from './mortal-world.ts'

const quiet = (): void => undefined
const refunds: Script = {
  'You refund orders': ({ number, results }) =>
    number === 0 ? [{ name: 'refund', args: { order: 'A-17', euros: 20 } }] : (results[0] ?? ''),
}

const examples: readonly (readonly [string, (model: ChatModel) => AnyAgent, Script, string])[] = [
  [
    '01-research-desk',
    createResearchDesk,
    deskScript('bees'),
    'Research bees and write a short article about it.',
  ],
  ['02-hello-agent', createBookkeeper, bookkeeping, 'How much is 1249.90 with 19 % VAT?'],
  ['03-bail', (model) => createFrontDesk(model, { bail: true }), frontDesk, 'Can I still return the shoes?'],
  [
    '03-bail without',
    (model) => createFrontDesk(model, { bail: false }),
    frontDesk,
    'Can I still return the shoes?',
  ],
  ['04-inspector', createShop, shop, 'Do you have desk lamps and armchairs?'],
  ['05-hooks', (model) => createPlanner(model, quiet), planner, 'Plan lunch for the 12 of us on Friday.'],
  ['06-scoring', createClerk, clerk, 'Say that the library is closed until Monday.'],
  ['07-nested-supervisors', createFestival, festival, 'Organise a street festival.'],
  ['08-structured-output', createReader, reader, 'A desk lamp, 89.90 euros.'],
  [
    '09-workflow',
    (model) => createBakery(model, { heats: true, say: quiet }),
    bakery,
    'A rye bread, please.',
  ],
  ['10-testing-your-own', createDesk, refunds, 'I want my 20 euros back.'],
  ['11-processors', (model) => createSupport(model, quiet), support, 'When will my lamp arrive?'],
  [
    '11-processors, turned away',
    (model) => createSupport(model, quiet),
    support,
    'Should I invest in your shares?',
  ],
  ['17-router', createTravelDesk, travelDesk, 'I want to see Porto in April, for three nights.'],
  ['18-planner', createTravelAgent, travel, 'A day in Lübeck for two, please.'],
  ['19-fan-out', createRiskDesk, riskDesk, 'How risky is Tern & Sons as a partner?'],
  ['20-meta-router', createCompanyDesk, companyDesk, 'Assess the risk of Heron Ltd as a supplier.'],
  ['21-reflexion', createEstimator, estimator, 'What do we spend on coffee in a year?'],
  ['22-debate', createCouncil, council, 'A bridge, or a new ferry?'],
  ['23-dispatcher', createParcelDesk, parcelDesk, 'What does a parcel to Norway cost?'],
  ['24-handoff', createHelpDesk, helpDesk, 'May was charged twice, and when do you open?'],
  [
    '25-partner-risk',
    createPartnerCheck,
    partnerCheck,
    'Assess the risk profile of Company X as a potential partner',
  ],
]

/** Its spelling service counts its calls, in its process. */
const forgetful = ['06-scoring']

test.each(examples)('%s', async (name, create, script, task) => {
  const company = (world: MortalWorld): AnyAgent => create(scriptedIn(world, script))
  const kept = () => configured(name, company(new MortalWorld()))
  const whole = await uncut(company, task, await kept())
  expect(whole.points).toBeGreaterThan(5)
  const seen = (effect: string): boolean => effect.startsWith('model ')
  const options = { task, seen, forgets: forgetful.includes(name) }
  for (let point = 1; point <= whole.points; point++) {
    await expectCut(company, whole, [point], { ...options, store: await kept() })
  }
})

/** A store that holds what the example chooses from. */
async function configured(name: string, agent: AnyAgent): Promise<WholeStore> {
  const store = memoryStore()
  if (name === '20-meta-router') await loadConfig(createTroupe({ agents: [agent], store }))
  return store
}

/** What the scripted server of the examples says, without a server. */
function scriptedIn(world: MortalWorld, script: Script): ChatModel {
  return {
    provider: 'scripted',
    modelId: 'scripted',
    generate: (request, { idempotencyKey, onDelta }) =>
      world.effect(`model ${withoutRun(idempotencyKey)}`, async () => {
        const [system = ''] = request.messages.flatMap(({ role, content }) =>
          role === 'system' ? [content] : [],
        )
        const reply = Object.entries(script).find(([phrase]) => system.includes(phrase))?.[1]
        if (reply === undefined) throw new Error(`Nobody is scripted for "${system}".`)
        const said = toReply(await reply(turnOf(request)))
        if (said.text !== '') onDelta?.({ type: 'text', text: said.text })
        return said
      }),
  }
}

function turnOf({ messages }: ModelRequest): Turn {
  const lastSpoken = messages.findLastIndex(({ role }) => role === 'assistant')
  return {
    number: messages.filter(({ role }) => role === 'assistant').length,
    task: textOf(messages.find(({ role }) => role === 'user')?.content ?? ''),
    prompt: textOf(messages.findLast(({ role }) => role === 'user')?.content ?? ''),
    results: messages
      .slice(lastSpoken + 1)
      .flatMap(({ role, content }) => (role === 'tool' ? [textOf(content)] : [])),
  }
}

function toReply(reply: ScriptedReply): ModelReply {
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
  if (typeof reply === 'string') return { text: reply, toolCalls: [], finishReason: 'stop', usage }
  const toolCalls = reply.map(({ name, args }, index) => ({
    id: `call-${index}`,
    name,
    args: JSON.parse(JSON.stringify(args)) as JsonValue,
  }))
  return { text: '', toolCalls, finishReason: 'tool-calls', usage }
}
