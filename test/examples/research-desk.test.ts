/** The research desk runs offline, shows every decision, and ends well when it is interrupted or refused. */
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { deskScript } from '../../examples/01-research-desk/script.ts'
import { startScriptedServer } from '../../examples/support/scripted-server.ts'
import { refusingServer } from './refusing-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { lines, offline, runExample } from './run-example.ts'

describe.concurrent('01-research-desk', () => {
  test('researches a topic, and shows every decision', async ({ expect }) => {
    const { code, stdout, stderr } = await runExample('01-research-desk', { args: ['the history of tea'] })

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('Topic: the history of tea\n')
    expect(stdout).toMatch(offline)
    expect(stdout).toContain('\nCompleted, although 1 delegation was rejected.\n')

    // delegations: two side by side, the first modified, the third rejected
    const [, table = ''] = stdout.split('\nDelegations\n')
    const rows = lines(table, /^ +\d+ {2}/).map((line) => line.trim().split(/ {2,}/))
    expect(rows.map(([, from, to, outcome]) => [from, to, outcome])).toEqual([
      ['lead', 'researcher', 'succeeded'],
      ['lead', 'researcher', 'succeeded'],
      ['lead', 'writer', 'rejected'],
      ['lead', 'writer', 'succeeded'],
      ['lead', 'writer', 'succeeded'],
    ])
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'the delegation to writer was rejected: There are no notes yet. Ask the writer when the research is in.',
    )
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /lead, onDelegationStart: prompt before: .* after: .* Name the source of every statement\./,
    )

    // two scorings
    expect(
      lines(stdout, /^ {2}entry \d+ {2}lead: (passed|failed): /).map((line) =>
        line.trim().replace(/^entry \d+ {2}/, ''),
      ),
    ).toEqual([
      expect.stringMatching(/^lead: failed: cites-sources 0\.00 \(/),
      'lead: passed: cites-sources 1.00, long-enough 1.00',
    ])
    expect(lines(stdout, /^The answer /)).toEqual([
      'The answer does not pass: cites-sources 0.00 (It cites 0 sources like [1]; at least 3 are expected), long-enough 1.00',
      'The answer passes: cites-sources 1.00, long-enough 1.00',
    ])

    // the article: a draft without sources, then one with them
    const [, draft = '', article = ''] = stdout
      .replaceAll(/\s+/g, ' ')
      .split('The lead writes:')
      .map((part) => part.replace(/ The answer .*/, ''))
    const title = '# The history of tea: what we know, and what we do not'
    expect(draft).toContain(
      `${title} Ask three people about the history of tea and you will hear three stories`,
    )
    expect(draft).not.toContain('[1]')
    expect(article).toContain(title)
    expect(article).toContain('others could repeat the results [1].')
    expect(article).toContain('Sources: [1] A short history · [2] Notes from practice')

    // tokens add up
    const [, agents = ''] = stdout.split('\nAgents\n')
    const tokens = lines(agents, /^ {2}(lead|researcher|writer|total) /).map((line) =>
      line.trim().split(/ {2,}/),
    )
    expect(new Set(tokens.map(([agent]) => agent))).toEqual(
      new Set(['lead', 'researcher', 'writer', 'total']),
    )
    for (const column of [1, 3, 4]) {
      const of = (name: string) => Number(tokens.find(([agent]) => agent === name)?.[column])
      expect(of('total')).toBeGreaterThan(0)
      expect(of('lead') + of('researcher') + of('writer')).toBe(of('total'))
    }
  })

  test('tells the story in words, in fewer lines than the two articles have', async ({ expect }) => {
    const { stdout } = await runExample('01-research-desk')

    expect(stdout).toContain('Topic: AI in education\n')
    expect(stdout).not.toContain('\u001b')
    const story = lines(stdout, /^The /).filter((line) => !/^The (second|third|first) story/.test(line))
    expect(story.map((line) => line.slice(0, 60))).toEqual(
      [
        'The lead is asked: Research AI in education and write a short',
        'The lead asks the researcher: How did work on AI in education',
        'The lead asks the researcher: What are the costs and the open',
        'The lead may not ask the writer: There are no notes yet. Ask ',
        'The researcher has answered, with search, read, read.',
        'The researcher has answered, with search, read, read.',
        'The lead asks the writer: Write a short article about AI in e',
        'The writer has answered.',
        'The lead writes:',
        'The answer does not pass: cites-sources 0.00 (It cites 0 sour',
        'The lead asks the writer: Revise the article about AI in educ',
        'The writer has answered.',
        'The lead writes:',
        'The answer passes: cites-sources 1.00, long-enough 1.00',
      ].map((line) => line.slice(0, 60)),
    )
    const [told = ''] = stdout.split('\nTask: ')
    expect(told.split('\n').length).toBeLessThan(80)
    expect(stdout).not.toMatch(/delegation:|thinking|\w+\.\w+ing/)
  })

  test('ends with the address of the run in the inspector, opens it where it is asked to, and waits', async ({
    expect,
  }) => {
    using folder = temporaryFolder()
    const [browser, opened] = [folder.file('browser'), folder.file('opened')]
    writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > ${opened}\n`, { mode: 0o700 })
    const { code, stdout, stderr } = await runExample('01-research-desk', {
      args: ['--inspect', 'the history of tea'],
      env: { PACE: '0', CI: '', BROWSER: browser },
      interruptAt: 'Ctrl-C ends.',
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('Topic: the history of tea\n')
    expect(stdout).toMatch(/\nhttp:\/\/127\.0\.0\.1:\d+\/runs\/[\w-]+#t=[\w-]{43}\nCtrl-C ends\.\n$/)
    const [url] = lines(stdout, /^http:/)
    expect(readFileSync(opened, 'utf8')).toBe(url)
  })

  test.for([
    ['in CI', { CI: 'true' }, ['--inspect']],
    ['without a terminal', { CI: '' }, []],
  ] as const)('names the page, and does not wait, %s', async ([, env, args], { expect }) => {
    const { code, stdout, stderr } = await runExample('01-research-desk', {
      args,
      env: { PACE: '0', BROWSER: '/nowhere/browser', ...env },
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      /\nhttp:\/\/127\.0\.0\.1:\d+\/runs\/[\w-]+#t=[\w-]{43}\nNobody waits here, so the page ends with this program: .*\n$/,
    )
  })

  test.for(['', '   ', '?'])('refuses the topic %j', async (topic, { expect }) => {
    expect(await runExample('01-research-desk', { args: [topic] })).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: 'The topic is empty.\nUsage: npm start -- "AI in education"\n',
    })
  })

  test('refuses a topic that is too long', async ({ expect }) => {
    const { code, stdout, stderr } = await runExample('01-research-desk', { args: ['x'.repeat(121)] })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^The topic is 121 characters long; at most 120 are allowed\.\n/)
  })

  test('Ctrl-C cancels the run', async ({ expect }) => {
    // At this pace the first reply would take minutes: the run is under way when the signal comes.
    const ended = await runExample('01-research-desk', {
      env: { PACE: '1000' },
      interruptAt: 'The lead is asked: ',
    })
    expect(ended).toMatchObject({ code: 130, signal: null, stderr: '' })
    expect(lines(ended.stdout, /^(The lead|Cancelled)/)).toEqual([
      'The lead is asked: Research AI in education and write a short article about it.',
      'Cancelled at entry 2: interrupted by Ctrl-C.',
    ])
  })

  test('Ctrl-C in the middle of delegations cancels them too', async ({ expect }) => {
    const never = Promise.withResolvers<string>()
    await using server = await startScriptedServer({
      ...deskScript('bees'),
      'You are a researcher': () => never.promise,
    })
    const ended = await runExample('01-research-desk', {
      env: { OPENAI_BASE_URL: server.url },
      interruptAt: 'The lead asks the researcher: What are the costs',
    })
    expect(ended).toMatchObject({ code: 130, signal: null, stderr: '' })
    expect(ended.stdout).toMatch(/\nCancelled at entry \d+: interrupted by Ctrl-C\.\n/)
    const [, table = ''] = ended.stdout.split('\nDelegations\n')
    const rows = lines(table, /^ +\d+ {2}/).map((line) => line.trim().split(/ {2,}/))
    expect(rows.map(([, , to, outcome]) => `${to} ${outcome}`).toSorted()).toEqual([
      'researcher cancelled',
      'researcher cancelled',
      'writer rejected',
    ])
  })

  test('a model that refuses its key is said, with exit code 1', async ({ expect }) => {
    await using server = await refusingServer()
    const { code, stdout } = await runExample('01-research-desk', {
      env: { OPENAI_API_KEY: 'sk-test-of-the-examples', OPENAI_BASE_URL: server.url, OPENAI_MODEL: 'm-1' },
    })
    expect(code).toBe(1)
    expect(stdout).toContain(`Model: m-1 at ${server.url}.\n`)
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(/Failed: .* \(UNAUTHORISED\) at entry 2\. /)
    expect(stdout).not.toContain('sk-test-of-the-examples')
    expect(server.requests).toEqual([{ model: 'm-1', authorization: 'Bearer sk-test-of-the-examples' }])
  })
})
