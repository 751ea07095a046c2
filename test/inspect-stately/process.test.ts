/** A process with an inspector ends when its run is over. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** A program that runs an agent before an inspector with these options, and then does this. */
function program(options: object, then: string): string {
  return `
    import { createAgent, createTroupe } from 'troupe'
    import { statelyInspector } from 'troupe/inspect-stately'
    import { scriptedModel } from 'troupe/testing'
    const inspector = statelyInspector({ ...${JSON.stringify(options)}, onError: () => {} })
    const agent = createAgent({ id: 'scout', instructions: 'Look.', model: scriptedModel(['Found.']) })
    const troupe = createTroupe({ agents: [agent], inspect: inspector.inspect })
    const run = await troupe.start(agent, 'Go')
    console.log((await run.result).text)
    ${then}`
}

async function execute(source: string) {
  const child = spawn(join(root, 'node_modules/.bin/node'), ['--input-type=module', '-e', source], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

const ended = { code: 0, stdout: 'Found.\n', stderr: '' }

describe.concurrent('a process', () => {
  test('which is stopped', async () => {
    expect(await execute(program({}, 'await inspector.stop()'))).toEqual(ended)
  })

  test('which serves a page with a reader, and is stopped', async () => {
    const reading = `
      const { body } = await fetch(new URL('messages', await inspector.page))
      const read = Array.fromAsync(body)
      await inspector.stop()
      const text = Buffer.concat(await read).toString()
      console.log(text.includes('"name":"scout/model#1"'))`
    expect(await execute(program({}, reading))).toEqual({ ...ended, stdout: 'Found.\ntrue\n' })
  })
})
