/** Every example, replayed from its journal: the same run, and not one request. */
import { createTroupe, openai, type AnyAgent, type ChatModel, type RunEvent, type Troupe } from 'troupe'
import { expect, test } from 'vitest'
import { createResearchDesk } from '../../examples/01-research-desk/agents.ts'
import { deskScript } from '../../examples/01-research-desk/script.ts'
import { createBookkeeper } from '../../examples/02-hello-agent/agents.ts'
import { script as bookkeeping } from '../../examples/02-hello-agent/script.ts'
import { createFrontDesk } from '../../examples/03-bail/agents.ts'
import { script as frontDesk } from '../../examples/03-bail/script.ts'
import { createShop } from '../../examples/04-inspector/agents.ts'
import { script as shop } from '../../examples/04-inspector/script.ts'
import { createPlanner } from '../../examples/05-hooks/agents.ts'
import { script as planner } from '../../examples/05-hooks/script.ts'
import { createClerk } from '../../examples/06-scoring/agents.ts'
import { script as clerk } from '../../examples/06-scoring/script.ts'
import { createFestival } from '../../examples/07-nested-supervisors/agents.ts'
import { script as festival } from '../../examples/07-nested-supervisors/script.ts'
import { createReader } from '../../examples/08-structured-output/agents.ts'
import { script as reader } from '../../examples/08-structured-output/script.ts'
import { createBakery } from '../../examples/09-workflow/agents.ts'
import { script as bakery } from '../../examples/09-workflow/script.ts'
import { createDesk } from '../../examples/10-testing-your-own/agents.ts'
import { createSupport } from '../../examples/11-processors/agents.ts'
import { createTravelAgent } from '../../examples/18-planner/agents.ts'
import { script as travel } from '../../examples/18-planner/script.ts'
import { script as support } from '../../examples/11-processors/script.ts'
import { createRiskDesk } from '../../examples/19-fan-out/agents.ts'
import { script as riskDesk } from '../../examples/19-fan-out/script.ts'
import { createPartnerCheck } from '../../examples/25-partner-risk/agents.ts'
import { script as partnerCheck } from '../../examples/25-partner-risk/script.ts'
import { createHelpDesk } from '../../examples/24-handoff/agents.ts'
import { script as helpDesk } from '../../examples/24-handoff/script.ts'
import { createNewsletter } from '../../examples/13-background-and-budget/agents.ts'
import { script as newsletter } from '../../examples/13-background-and-budget/script.ts'
import { createTravelDesk } from '../../examples/17-router/agents.ts'
import { script as travelDesk } from '../../examples/17-router/script.ts'
import { createCompanyDesk } from '../../examples/20-meta-router/agents.ts'
import { addDecisions, loadConfig } from '../../examples/20-meta-router/config.ts'
import { script as companyDesk } from '../../examples/20-meta-router/script.ts'
import { createEstimator } from '../../examples/21-reflexion/agents.ts'
import { script as estimator } from '../../examples/21-reflexion/script.ts'
import { createCouncil } from '../../examples/22-debate/agents.ts'
import { script as council } from '../../examples/22-debate/script.ts'
import { createParcelDesk } from '../../examples/23-dispatcher/agents.ts'
import { script as parcelDesk } from '../../examples/23-dispatcher/script.ts'
import { startScriptedServer, type Script } from '../../examples/support/scripted-server.ts'

interface Example {
  readonly name: string
  readonly create: (model: ChatModel) => AnyAgent
  readonly script: Script
  readonly task: string
  readonly outcome: string
  readonly requests: number
  /** What its troupe is told before. */
  readonly configure?: (troupe: Troupe) => Promise<void>
}

const examples: readonly Example[] = [
  {
    name: '01-research-desk',
    create: createResearchDesk,
    script: deskScript('bees'),
    task: 'Research bees and write a short article about it.',
    outcome: 'completed',
    requests: 13, // 5 of the lead, 3 of each researcher, 1 of each writer
  },
  {
    name: '02-hello-agent',
    create: createBookkeeper,
    script: bookkeeping,
    task: 'How much is 1249.90 with 19 % VAT?',
    outcome: 'completed',
    requests: 2,
  },
  {
    name: '03-bail',
    create: (model) => createFrontDesk(model, { bail: true }),
    script: frontDesk,
    task: 'Can I still return the shoes?',
    outcome: 'bailed',
    requests: 3,
  },
  {
    name: '03-bail without bail',
    create: (model) => createFrontDesk(model, { bail: false }),
    script: frontDesk,
    task: 'Can I still return the shoes?',
    outcome: 'completed',
    requests: 4,
  },
  {
    name: '04-inspector',
    create: createShop,
    script: shop,
    task: 'Do you have desk lamps and armchairs?',
    outcome: 'completed',
    requests: 6, // 2 of the shop, 2 of each clerk
  },
  {
    name: '05-hooks',
    create: (model) => createPlanner(model, () => undefined),
    script: planner,
    task: 'Plan lunch for the 12 of us on Friday.',
    outcome: 'completed',
    requests: 8, // 5 of the planner, 2 of the chef, 1 of the buyer
  },
  {
    name: '06-scoring',
    create: createClerk,
    script: clerk,
    task: 'Say that the library is closed until Monday.',
    outcome: 'completed',
    requests: 3,
  },
  {
    name: '07-nested-supervisors',
    create: createFestival,
    script: festival,
    task: 'Organise a street festival.',
    outcome: 'completed',
    requests: 11, // 2 of each supervisor and of the cook, 1 of each scout and of the technician
  },
  {
    name: '08-structured-output',
    create: createReader,
    script: reader,
    task: 'A desk lamp, 89.90 euros.',
    outcome: 'completed',
    requests: 2,
  },
  {
    name: '09-workflow',
    create: (model) => createBakery(model, { heats: true, say: () => undefined }),
    script: bakery,
    task: 'A rye bread, please.',
    outcome: 'completed',
    requests: 4, // 3 of the bakery, 1 of the recipes
  },
  {
    name: '10-testing-your-own',
    create: createDesk,
    script: {
      'You refund orders': ({ number, results }) =>
        number === 0 ? [{ name: 'refund', args: { order: 'A-17', euros: 20 } }] : (results[0] ?? ''),
    },
    task: 'I want my 20 euros back.',
    outcome: 'completed',
    requests: 2,
  },
  {
    name: '11-processors',
    create: (model) => createSupport(model, () => undefined),
    script: support,
    task: 'When will my lamp arrive?',
    outcome: 'completed',
    requests: 2, // the first reply is stopped
  },
  {
    name: '11-processors, turned away',
    create: (model) => createSupport(model, () => undefined),
    script: support,
    task: 'Should I invest in your shares?',
    outcome: 'tripped',
    requests: 0,
  },
  {
    name: '17-router',
    create: createTravelDesk,
    script: travelDesk,
    task: 'I want to see Porto in April, for three nights.',
    outcome: 'completed',
    requests: 7, // 1 of the reception, 5 of the planner, one of them invalid, 1 of the writer
  },
  {
    name: '18-planner',
    create: createTravelAgent,
    script: travel,
    task: 'A day in Lübeck for two, please.',
    outcome: 'completed',
    requests: 5, // two plans, one step and the answer; 1 of the guide
  },
  {
    name: '19-fan-out',
    create: createRiskDesk,
    script: riskDesk,
    task: 'How risky is Tern & Sons as a partner?',
    outcome: 'completed',
    requests: 8, // 3 of the desk, 2 of finance, 2 of legal, 1 of press
  },
  {
    name: '20-meta-router',
    create: createCompanyDesk,
    script: companyDesk,
    configure: loadConfig,
    task: 'Assess the risk of Heron Ltd as a supplier.',
    outcome: 'completed',
    requests: 6, // 2 of the desk, 2 of the team, 1 of each analyst
  },
  {
    name: '20-meta-router, a decision',
    create: createCompanyDesk,
    script: companyDesk,
    configure: async (troupe) => {
      await loadConfig(troupe)
      await addDecisions(troupe)
    },
    task: 'Shall we open a shop in the harbour?',
    outcome: 'completed',
    requests: 7, // 2 of the desk, 2 of the advocate and of the critic, 1 of the chair
  },
  {
    name: '21-reflexion',
    create: createEstimator,
    script: estimator,
    task: 'What do we spend on coffee in a year?',
    outcome: 'completed',
    requests: 8, // 4 steps, each criticised
  },
  {
    name: '22-debate',
    create: createCouncil,
    script: council,
    task: 'A bridge, or a new ferry?',
    outcome: 'completed',
    requests: 6, // 3 proposals, 2 in the round of criticism, 1 of the chair
  },
  {
    name: '23-dispatcher',
    create: createParcelDesk,
    script: parcelDesk,
    task: 'What does a parcel to Norway cost?',
    outcome: 'completed',
    requests: 2,
  },
  {
    name: '24-handoff',
    create: createHelpDesk,
    script: helpDesk,
    task: 'May was charged twice, and when do you open?',
    outcome: 'completed',
    requests: 4, // 2 of reception, 2 of billing
  },
  {
    name: '25-partner-risk',
    create: createPartnerCheck,
    script: partnerCheck,
    task: 'Assess the risk profile of Company X as a potential partner',
    outcome: 'completed',
    requests: 12, // 2 of the meta-router, 2 of the team, 2 of each of the four investigations
  },
  {
    name: '13-background-and-budget',
    create: (model) => createNewsletter(model, { archiveIsOpen: true }),
    script: newsletter,
    task: 'Write about the spring fair.',
    outcome: 'completed',
    requests: 6, // 3 of the editor, 2 of the archivist, 1 of the reporter
  },
]

test.for(examples)('$name', async ({ create, script, task, outcome, requests, configure }) => {
  await using server = await startScriptedServer(script)
  const agent = create(openai('scripted', { baseURL: server.url, apiKey: 'scripted' }))
  const troupe = createTroupe({ agents: [agent] })
  await configure?.(troupe)

  const run = await troupe.start(agent, task)
  const result = await run.result
  const events: RunEvent[] = []
  for await (const event of run.events) events.push(event)
  expect(result.outcome).toBe(outcome)
  expect(server.requests).toBe(requests)

  const replay = await troupe.replay(run.id)
  expect(replay.result).toEqual(result)
  expect(replay.events).toEqual(events)
  expect(events.at(-1)).toMatchObject({ type: 'run-finish', final: true, payload: { text: result.text } })
  expect(replay.entries).toBe((await troupe.journal(run.id)).length)
  expect(server.requests).toBe(requests)
})
