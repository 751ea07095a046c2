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
    expect(lines(stdout, /^Outcome/)).toEqual(['Outcome: completed after 5 iterations, 5 delegations'])

    // delegations: two side by side, the first modified, the third rejected
    const withoutTimes = stdout.replaceAll(/\d\.\d\d s/g, '#.## s')
    expect(lines(withoutTimes, /^ {2}[✓✗] {2}(researcher|writer)/)).toEqual([
      '  ✓  researcher  has answered after #.## s  the hook changed the prompt: … Name the source of every statement.',
      '  ✓  researcher  has answered after #.## s',
      '  ✗  writer      refused by the hook        There are no notes yet. Ask the writer when the research is in.',
      '  ✓  writer      has answered after #.## s',
      '  ✓  writer      has answered after #.## s',
    ])

    // two scorings
    expect(lines(stdout, /^ {2}[✓✗] {2}iteration \d/)).toEqual([
      '  ✗  iteration 3  failed  cites-sources 0.00 (It cites 0 sources like [1]; at least 3 are expected), long-enough 1.00',
      '  ✓  iteration 5  passed  cites-sources 1.00, long-enough 1.00',
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
    const tokens = lines(stdout, /^ {2}\S+ +\d+ in +\d+ out$/).map((line) => line.trim().split(/\s+/))
    expect(tokens.map(([agent]) => agent)).toEqual(['lead', 'researcher', 'writer', 'total'])
    for (const column of [1, 3]) {
      const [lead, researcher, writer, total] = tokens.map((row) => Number(row[column]))
      expect(total).toBeGreaterThan(0)
      expect(Number(lead) + Number(researcher) + Number(writer)).toBe(total)
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
    expect(stdout.split('\n').length).toBeLessThan(100)
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
    expect(lines(ended.stdout, /^(The|Outcome)/)).toEqual([
      'The lead is asked: Research AI in education and write a short article about it.',
      'Outcome: cancelled after 0 iterations, 0 delegations (interrupted by Ctrl-C)',
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
    const [, summary = ''] = ended.stdout.split('\nWhat the lead asked for\n')
    const withoutTimes = summary.replaceAll(/\d\.\d\d s/g, '#.## s')
    expect(lines(withoutTimes, /^ {2}✗/).map((line) => line.trim())).toEqual([
      '✗  researcher  was cancelled after #.## s',
      '✗  researcher  was cancelled after #.## s',
      '✗  writer      refused by the hook         There are no notes yet. Ask the writer when the research is in.',
    ])
    expect(summary).toContain(
      'Outcome: cancelled after 0 iterations, 3 delegations (interrupted by Ctrl-C)\n',
    )
  })

  test('a model that refuses its key is said, with exit code 1', async ({ expect }) => {
    await using server = await refusingServer()
    const { code, stdout } = await runExample('01-research-desk', {
      env: { OPENAI_API_KEY: 'sk-test-of-the-examples', OPENAI_BASE_URL: server.url, OPENAI_MODEL: 'm-1' },
    })
    expect(code).toBe(1)
    expect(stdout).toContain(`Model: m-1 at ${server.url}.\n`)
    expect(lines(stdout, /^Outcome/)[0]).toMatch(/^Outcome: failed .* \(UNAUTHORISED\)$/)
    expect(stdout).not.toContain('sk-test-of-the-examples')
    expect(server.requests).toEqual([{ model: 'm-1', authorization: 'Bearer sk-test-of-the-examples' }])
  })
})
