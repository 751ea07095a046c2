/** What the desk chooses from is data: JSON files, as they may come from a store, a service or a user interface. */
import { readFile } from 'node:fs/promises'
import type { Troupe } from 'troupe'

/** Checked as a whole: a file with a mistake changes nothing. */
export async function loadConfig({ config }: Troupe): Promise<void> {
  for (const file of ['patterns.json', 'task-types.json']) {
    await config.load(JSON.parse(await readFile(new URL(file, import.meta.url), 'utf8')))
  }
}

/** What is set while the troupe runs: another pattern, and a type of task that it is valid for. */
export async function addDecisions({ config }: Troupe): Promise<void> {
  await config.set('agent-pattern', 'debate', {
    name: 'debate',
    description: 'An advocate and a critic argue, and a chair decides',
    when_to_use: 'Much speaks for it, and much against it',
  })
  await config.set('agent-task-type', 'decision', {
    name: 'decision',
    description: 'Shall we, or shall we not?',
    framing_prompt: 'Say what would change your mind.',
    valid_patterns: ['debate', 'react'],
    when_to_use: 'A choice that the company has to make',
    termination_criteria: 'There is a recommendation.',
  })
}
