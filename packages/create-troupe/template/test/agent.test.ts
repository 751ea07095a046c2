/** Rules that hold in every order in which the model, the tool and the person may act. No model is called. */
import { test } from 'node:test'
import { answers, calls, explore, precedes, returns, scriptedModel } from 'troupe/testing'
import { createSupport } from '../src/agent.ts'

void test('no refund is paid before a person has approved it', async () => {
  const report = await explore(createSupport(scriptedModel([])), {
    task: 'The lamp of order A-17 is broken.',
    say: { support: [answers('Done.'), calls({ refund: { order: 'A-17', euros: 45 } })] },
    tools: { refund: [returns({ receipt: 'R-A-17', euros: 45 })] },
    rules: {
      'a person approves each refund': precedes('tool-call-approval', 'tool-result', { tool: 'refund' }),
    },
  })
  report.assert()
})
