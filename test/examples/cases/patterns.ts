/** The examples of the other patterns. */
import { createTravelAgent } from '../../../examples/18-planner/agents.ts'
import { script as travel } from '../../../examples/18-planner/script.ts'
import { createRiskDesk } from '../../../examples/19-fan-out/agents.ts'
import { script as riskDesk } from '../../../examples/19-fan-out/script.ts'
import { createPartnerCheck } from '../../../examples/25-partner-risk/agents.ts'
import { script as partnerCheck } from '../../../examples/25-partner-risk/script.ts'
import { createHelpDesk } from '../../../examples/24-handoff/agents.ts'
import { script as helpDesk } from '../../../examples/24-handoff/script.ts'
import { createTravelDesk } from '../../../examples/17-router/agents.ts'
import { script as travelDesk } from '../../../examples/17-router/script.ts'
import { createCompanyDesk } from '../../../examples/20-meta-router/agents.ts'
import { addDecisions, loadConfig } from '../../../examples/20-meta-router/config.ts'
import { script as companyDesk } from '../../../examples/20-meta-router/script.ts'
import { createEstimator } from '../../../examples/21-reflexion/agents.ts'
import { script as estimator } from '../../../examples/21-reflexion/script.ts'
import { createCouncil } from '../../../examples/22-debate/agents.ts'
import { script as council } from '../../../examples/22-debate/script.ts'
import { createParcelDesk } from '../../../examples/23-dispatcher/agents.ts'
import { script as parcelDesk } from '../../../examples/23-dispatcher/script.ts'
import type { Example } from './example.ts'

export const patternExamples: readonly Example[] = [
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
]
