/** The examples of single agents and supervisors. */
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
import { createNewsletter } from '../../../examples/13-background-and-budget/agents.ts'
import { script as newsletter } from '../../../examples/13-background-and-budget/script.ts'
import type { Example } from './example.ts'

export const firstExamples: readonly Example[] = [
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
    name: '13-background-and-budget',
    create: (model) => createNewsletter(model, { archiveIsOpen: true }),
    script: newsletter,
    task: 'Write about the spring fair.',
    outcome: 'completed',
    requests: 6, // 3 of the editor, 2 of the archivist, 1 of the reporter
  },
]
