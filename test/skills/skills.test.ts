/** Skills: folders with a `SKILL.md`, read by the rules of the Agent Skills format. Behaviour 108. */
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { createAgent, createTroupe, memoryStore, textOf, type RunEvent } from 'troupe'
import { toErrorData } from 'troupe/kit'
import { readSkills, type SkillsOptions } from 'troupe/skills'
import { explore, lint, scriptedModel, type ScriptedStep } from 'troupe/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { calls, only } from '../support/agents/agents.ts'

const made: string[] = []
afterEach(() => made.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true })))

/** A folder with these files, by their paths. */
function folderOf(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'skills-'))
  made.push(folder)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  return folder
}

const skill = (name: string, more = '', body = 'Do it.') =>
  `---\nname: ${name}\ndescription: A test skill\n${more}---\n${body}\n`

const tides = { 'tides/SKILL.md': skill('tides', '', '# Tides\n\nSee references/moon.md.') }

async function problemOf(files: Record<string, string>, options?: SkillsOptions) {
  const read = readSkills(folderOf(files), options)
  return read.then(
    () => undefined,
    (error: unknown) => {
      const { code, message } = toErrorData(error)
      return `${code} ${message}`
    },
  )
}

// The cases of the validator of the format (skills-ref, tests/test_validator.py), and what it says of them.
describe('the reference validator takes', () => {
  test.each([
    ['my-skill', 'license: MIT\nmetadata:\n  author: Test\n'],
    ['my-skill', 'allowed-tools: Bash(jq:*) Bash(git:*)\n'],
    ['my-skill', 'compatibility: Requires Python 3.11+\n'],
    ['技能', ''],
    ['мой-навык', ''],
    ['cafe\u0301', ''],
    ['a'.repeat(64), ''],
  ])('%s %s', async (name, more) => {
    const { list } = await readSkills(folderOf({ [`${name.normalize('NFC')}/SKILL.md`]: skill(name, more) }))
    expect(list.map((found) => found.name)).toEqual([name.normalize('NFKC')])
  })
})

describe('the reference validator refuses', () => {
  test.each([
    ['MySkill', skill('MySkill'), /lower case/],
    ['НАВЫК', skill('НАВЫК'), /lower case/],
    ['a'.repeat(70), skill('a'.repeat(70)), /70 characters/],
    ['-my-skill', skill('-my-skill'), /begin or end with a hyphen/],
    ['my-skill-', skill('my-skill-'), /begin or end with a hyphen/],
    ['my--skill', skill('my--skill'), /two hyphens/],
    ['my_skill', skill('my_skill'), /letters, digits and hyphens/],
    ['wrong-name', skill('correct-name'), /equal the name of its folder/],
    ['my-skill', `---\nname: my-skill\ndescription: ${'x'.repeat(1100)}\n---\n`, /1100 characters/],
    ['my-skill', skill('my-skill', `compatibility: ${'x'.repeat(550)}\n`), /550 characters/],
    ['my-skill', '---\nname: my-skill\n---\n', /"description"/],
    ['my-skill', '---\ndescription: A test\n---\n', /"name"/],
    ['my-skill', 'No front matter', /front matter/],
    ['my-skill', '---\nname: my-skill\n', /front matter/],
    ['my-skill', '---\n- a list\n---\n', /mapping/],
    ['my-skill', '---\nname: my-skill\ndescription: Use when: it fits\n---\n', /no YAML/],
    ['my-skill', '---\nname: [a]\ndescription: B\n---\n', /"name"/],
    ['my-skill', '---\na: &a [x]\nname: my-skill\ndescription: B\nb: *a\n---\n', /no YAML/],
  ])('%s', async (folder, text, problem) => {
    expect(await problemOf({ [`${folder}/SKILL.md`]: text })).toMatch(problem)
    expect(await problemOf({ [`${folder}/SKILL.md`]: text })).toMatch(/^INVALID_CONFIGURATION readSkills: /)
  })

  test('folders without a skill, no folder, and one name twice', async () => {
    expect(await problemOf({ 'README.md': 'Nothing.' })).toMatch(/has no SKILL.md/)
    await expect(readSkills('/no/such/folder')).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' })
    await expect(readSkills([folderOf(tides), folderOf(tides)])).rejects.toThrow(
      /two skills are named "tides"/,
    )
    expect(await problemOf(tides, { maxBytes: 10 })).toMatch(/too long: at most 10 bytes/)
    await expect(readSkills(join(folderOf(tides), 'tides/SKILL.md'))).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
    })
  })
})

test('a digest is that of the file, also with a byte order mark; a bound of any size allocates nothing', async () => {
  const text = `\uFEFF${skill('tides').replaceAll('\n', '\r\n')}`
  const folder = folderOf({ 'tides/SKILL.md': text })
  const { list } = await readSkills(folder, { maxBytes: Number.MAX_SAFE_INTEGER })
  expect(list.map(({ digest }) => digest)).toEqual([createHash('sha256').update(text).digest('hex')])
})

test('of skills of others, those that do not follow the format are left out, where somebody is told', async () => {
  const told: string[] = []
  const folder = folderOf({ ...tides, 'wrong/SKILL.md': skill('other') })
  const { list } = await readSkills(folder, { onInvalid: ({ message }) => told.push(message) })
  expect(list.map(({ name }) => name)).toEqual(['tides'])
  expect(told).toEqual([expect.stringContaining('must equal the name of its folder, "wrong"')])
})

test('no text makes it hang or throw anything else (property)', async () => {
  const folder = folderOf(tides)
  const part = fc.constantFrom(
    '---',
    '\n',
    'name: tides',
    'description: D',
    ': ',
    '- ',
    '"',
    "'",
    '{',
    '&a',
    '*a',
    '|',
    '\t',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(part, fc.string()), { maxLength: 20 }), async (parts) => {
      writeFileSync(join(folder, 'tides/SKILL.md'), parts.join(''))
      const read = await readSkills(folder).then(
        () => 'read',
        (error: unknown) => toErrorData(error).code,
      )
      expect(['read', 'INVALID_CONFIGURATION']).toContain(read)
    }),
    { numRuns: 60 },
  )
})

interface Said {
  readonly steps: readonly ScriptedStep[]
  readonly files: Readonly<Record<string, string | Uint8Array>>
}

async function ran({ steps, files }: Said, prepare: (folder: string) => void = () => undefined) {
  const folder = folderOf(files)
  prepare(folder)
  const skills = await readSkills(folder)
  const model = scriptedModel([...steps, 'Done.'])
  const agent = createAgent({
    id: 'agent',
    instructions: `Help.\n\n${skills.instructions}`,
    model,
    tools: skills.tools,
  })
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'Go')
  const events: RunEvent[] = []
  for await (const event of run.events) events.push(event)
  expect((await troupe.replay(run.id)).result).toEqual(await run.result)
  return { skills, model, events, result: await run.result }
}

const load = (name: string) => calls({ name: 'load-skill', args: { name } })
const readFile = (path: string, name = 'tides') => calls({ name: 'read-skill-file', args: { name, path } })

test('the model sees names and descriptions; a call loads the text, which is on record with its digest', async () => {
  const files = {
    ...tides,
    'tides/references/moon.md': 'The moon pulls.',
    'tides/.git/config': 'x',
    'tides/scripts/run.sh': 'exit',
  }
  const { model, events, skills } = await ran({
    steps: [load('tides'), readFile('references/moon.md')],
    files,
  })
  const [system] = model.calls[0]?.request.messages ?? []
  expect(textOf(system?.content ?? '')).toContain(
    '<name>tides</name>\n<description>A test skill</description>',
  )
  expect(textOf(system?.content ?? '')).not.toContain('# Tides')
  expect(only(events, 'tool-result').map(({ payload }) => payload.result)).toEqual([
    {
      name: 'tides',
      description: 'A test skill',
      digest: skills.list[0]?.digest,
      files: ['references/moon.md', 'scripts/run.sh'],
      instructions: '# Tides\n\nSee references/moon.md.',
    },
    {
      skill: 'tides',
      path: 'references/moon.md',
      digest: expect.stringMatching(/^[\da-f]{64}$/),
      text: 'The moon pulls.',
    },
  ])
})

test('a description cannot end its element, and a hostile name of a file is not listed', async () => {
  const text = '---\nname: tides\ndescription: "</description> <b> & more"\n---\n'
  const { list, instructions } = await readSkills(
    folderOf({ 'tides/SKILL.md': text, 'tides/a\nb.md': 'x', 'tides/a\u202Eb.md': 'x' }),
  )
  expect(instructions).toContain('<description>&lt;/description&gt; &lt;b&gt; &amp; more</description>')
  expect(list[0]?.files).toEqual([])
})

test('a hidden file is not read: a folder from Git has the secrets of its owner', async () => {
  const files = { ...tides, 'tides/.env': 'KEY=1', 'tides/.git/config': 'token', 'tides/a/.b/c.md': 'x' }
  const steps = ['.env', '.git/config', 'a/.b/c.md'].map((path) => readFile(path))
  const { events } = await ran({ steps, files })
  expect(only(events, 'tool-error').map(({ payload }) => payload.error)).toEqual(
    steps.map(() =>
      expect.objectContaining({ code: 'SKILL_UNREADABLE', message: 'Hidden files are not read.' }),
    ),
  )
})

describe('no way leads out of the folder of a skill', () => {
  const outside = [
    '../secret.md',
    '/etc/passwd',
    'references/../../secret.md',
    './a.md',
    'a//b',
    '..\\secret.md',
    'C:/x',
    'a\0b',
    '',
  ]
  test.each([...outside, 'linked.md', 'folder/in.md', 'references', 'none.md'])('%j', async (path) => {
    const files = { ...tides, 'secret.md': 'secret', 'tides/references/a.md': 'A.' }
    const { events, result } = await ran({ steps: [readFile(path)], files }, (folder) => {
      symlinkSync(join(folder, 'secret.md'), join(folder, 'tides/linked.md'))
      mkdirSync(join(folder, 'other'))
      writeFileSync(join(folder, 'other/in.md'), 'secret')
      symlinkSync(join(folder, 'other'), join(folder, 'tides/folder'))
    })
    expect(only(events, 'tool-error').map(({ payload }) => payload.error?.code)).toEqual(['SKILL_UNREADABLE'])
    expect(JSON.stringify(result)).not.toContain('secret\\"')
    expect(result.outcome).toBe('completed')
  })
})

test('a file that is too long, and a file that is no text, are refused; so is a skill that is not there', async () => {
  const files = {
    ...tides,
    'tides/long.md': 'x'.repeat(262_145),
    'tides/a.png': new Uint8Array([1, 0, 2]),
    'tides/latin.md': new Uint8Array([0xe9, 0x20]),
  }
  const steps = [readFile('long.md'), readFile('a.png'), readFile('latin.md'), load('none')]
  const { events } = await ran({ steps, files })
  expect(only(events, 'tool-error').map(({ payload }) => payload.error?.message)).toEqual([
    expect.stringContaining('too long: at most 262144 bytes'),
    'The file is no text.',
    'The file is no text in UTF-8.',
    expect.stringContaining('"tides"'),
  ])
})

test('a text that was edited is drift, and no death: what was loaded stands, and a later load has the new text', async () => {
  const store = memoryStore()
  const folder = folderOf(tides)
  const agentOf = async (...steps: readonly ScriptedStep[]) => {
    const skills = await readSkills(folder)
    const model = scriptedModel(steps)
    return {
      model,
      agent: createAgent({ id: 'agent', instructions: skills.instructions, model, tools: skills.tools }),
    }
  }
  const first = await agentOf(load('tides'), { hang: true })
  const troupe = createTroupe({ agents: [first.agent], store })
  const { id } = await troupe.start(first.agent, 'Go')
  await expect.poll(() => first.model.calls.length).toBe(2)
  await troupe.close()
  writeFileSync(join(folder, 'tides/SKILL.md'), skill('tides', '', 'Edited.'))
  mkdirSync(join(folder, 'winds'))
  writeFileSync(join(folder, 'winds/SKILL.md'), skill('winds'))
  const second = await agentOf(load('tides'), 'Done.')
  const run = await createTroupe({ agents: [second.agent], store }).resume(id)
  expect(await run.result).toMatchObject({ outcome: 'completed' })
  const events: RunEvent[] = []
  for await (const event of run.events) events.push(event)
  // A skill was added too: instructions and both tools are edited.
  expect(
    only(events, 'drift').map(({ payload }) => payload.edits.map(({ part }) => part).toSorted()),
  ).toEqual([['instructions', 'tool "load-skill"', 'tool "read-skill-file"']])
  const loaded = only(events, 'tool-result').map(
    ({ payload }) => payload.result as { instructions: string; digest: string },
  )
  expect(loaded.map(({ instructions }) => instructions)).toEqual([
    '# Tides\n\nSee references/moon.md.',
    'Edited.',
  ])
  expect(new Set(loaded.map(({ digest }) => digest)).size).toBe(2)
})

test('an exploration loads and reads', async () => {
  const skills = await readSkills(folderOf(tides))
  const agent = createAgent({
    id: 'agent',
    instructions: skills.instructions,
    model: scriptedModel([]),
    tools: skills.tools,
    maxSteps: 2,
  })
  const report = await explore(agent, { task: 'Go' })
  expect(report.violations).toEqual([])
  expect(report.outcomes.completed).toBeGreaterThan(0)
})

test('lint names an agent with the tools of skills and without their descriptions', async () => {
  const { instructions, tools } = await readSkills(folderOf(tides))
  const found = (given: string) =>
    lint(createAgent({ id: 'agent', instructions: given, model: scriptedModel([]), tools })).map(
      ({ path }) => path,
    )
  expect(found('Help.')).toContain('agent.tools.load-skill')
  expect(found(`Help.\n\n${instructions}`)).not.toContain('agent.tools.load-skill')
})

test('a function that is told of an invalid skill is awaited, and its failure is that of the reading', async () => {
  const folder = folderOf({ ...tides, 'bad/SKILL.md': 'nothing' })
  const onInvalid = async (): Promise<never> => {
    throw new Error('The log is down.')
  }
  await expect(readSkills(folder, { onInvalid })).rejects.toThrow('The log is down.')
})
