/** Tells the failures of a run of tests again at its end and in few lines: who reads the end of a long log sees them. */
import type { SerializedError } from 'vitest'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

const mostLines = 12
const mostCharacters = 1_500

export default class Failures implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const lines = [
      ...modules.flatMap((module) => module.errors().map((error) => told(module.relativeModuleId, error))),
      ...modules.flatMap((module) => [...module.children.allTests('failed')].flatMap(linesOf)),
      ...unhandled.map((error) => told('An error outside tests', error)),
    ]
    if (lines.length > 0) console.log(`\n${lines.join('\n')}\n`)
  }
}

function linesOf(test: TestCase): readonly string[] {
  const name = `${test.module.relativeModuleId} > ${test.fullName}`
  return (test.result().errors ?? []).map((error) => told(name, error))
}

function told(name: string, { name: kind, message, stack = '' }: Partial<SerializedError>): string {
  const text = stack.includes(message ?? '') ? stack : `${kind}: ${message}\n${stack}`
  const [first, ...rest] = text.slice(0, mostCharacters).split('\n')
  return [`FAILED ${name}: ${first}`, ...rest.slice(0, mostLines)].join('\n')
}
