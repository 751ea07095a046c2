/** The examples of durable runs and of subpaths, whose agents ask nobody. */
import { createDesk } from '../../../examples/12-embedding/agents.ts'
import { script as desk } from '../../../examples/12-embedding/script.ts'
import { createShop } from '../../../examples/14-crash-and-resume/agents.ts'
import { Bank } from '../../../examples/14-crash-and-resume/bank.ts'
import { script as shop } from '../../../examples/14-crash-and-resume/script.ts'
import { createPlanner } from '../../../examples/16-time-travel/agents.ts'
import { script as planner } from '../../../examples/16-time-travel/script.ts'
import { createReviewer } from '../../../examples/27-exploring-a-machine/agents.ts'
import { createSeaDesk } from '../../../examples/28-ai-sdk/agents.ts'
import { script as seaDesk } from '../../../examples/28-ai-sdk/script.ts'
import { createDesk as createChartDesk } from '../../../examples/30-files/agents.ts'
import { script as charts } from '../../../examples/30-files/script.ts'
import { createDesk as createComplaintDesk } from '../../../examples/32-trail/agents.ts'
import { script as complaints } from '../../../examples/32-trail/script.ts'
import { createGuide } from '../../../examples/38-evals/agents.ts'
import { script as museum } from '../../../examples/38-evals/script.ts'
import type { Example } from './example.ts'

export const subpathExamples: readonly Example[] = [
  {
    name: '12-embedding',
    create: (model) => createDesk(model, () => undefined),
    script: desk,
    task: 'Where is my lamp, order A-17? Yours, Ann',
    outcome: 'completed',
    requests: 6, // 3 of the desk, 2 of the clerk, 1 of the writer
  },
  {
    name: '14-crash-and-resume',
    create: (model) =>
      createShop(model, Object.assign(new Bank(''), { charge: async () => 'receipt 1' }), () => undefined),
    script: shop,
    task: 'A desk lamp, please.',
    outcome: 'completed',
    requests: 4,
  },
  {
    name: '16-time-travel',
    create: createPlanner,
    script: planner,
    task: 'How do I get from Berlin to Paris today?',
    outcome: 'completed',
    requests: 4, // 2 of the planner, 2 of the scout
  },
  {
    name: '27-exploring-a-machine',
    create: createReviewer,
    script: { 'You review changes': () => '{ "approves": true, "because": "It is fine." }' },
    task: 'Review the change.',
    outcome: 'completed',
    requests: 1,
  },
  {
    name: '28-ai-sdk',
    create: createSeaDesk,
    script: seaDesk,
    task: 'When is high water in Bergen today?',
    outcome: 'completed',
    requests: 4, // 2 of the desk, 2 of the researcher
  },
  {
    name: '30-files',
    create: createChartDesk,
    script: charts,
    task: 'How were our sales?',
    outcome: 'completed',
    requests: 4, // 3 of the desk, 1 of the analyst
  },
  {
    name: '32-trail',
    create: createComplaintDesk,
    script: complaints,
    task: 'My order 17 has not come. I want my 40 euros back!',
    outcome: 'completed',
    requests: 7, // 4 of the desk, 2 of the clerk, 1 of the cashier
  },
  {
    name: '38-evals',
    create: (model) => createGuide(model, 'after'),
    script: museum,
    task: 'Are you open on Sunday?',
    outcome: 'completed',
    requests: 2,
  },
]
