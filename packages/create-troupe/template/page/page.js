/** Starts a run, shows its text as it comes, and answers its questions. A reader that comes back goes on behind the last event. */
const form = document.querySelector('form')
const section = document.querySelector('section')

form.addEventListener('submit', async (submitted) => {
  submitted.preventDefault()
  const { prompt } = Object.fromEntries(new FormData(form))
  section.replaceChildren()
  const response = await post('/api/agents/support/runs', { prompt, runId: crypto.randomUUID() })
  const { runId, error } = await response.json()
  if (error) show('p').textContent = error.message
  else follow(runId)
})

function follow(runId) {
  let text
  const events = new EventSource(`/api/runs/${runId}/events`)
  events.addEventListener('message', ({ data }) => {
    const { type, payload } = JSON.parse(data)
    switch (type) {
      case 'text-delta':
        text ??= show('p')
        text.textContent += payload.text
        break
      case 'tool-call-approval':
        ask(runId, payload)
        break
      case 'tool-result':
        text = undefined
        break
      case 'run-finish':
        events.close()
        show('p').textContent = `The run has ended: ${payload.outcome}.`
    }
  })
}

function ask(runId, { toolCallId, toolName, args }) {
  const question = show('p')
  question.textContent = `May it ${toolName} ${JSON.stringify(args)}? `
  for (const [label, answer] of [
    ['Approve', { type: 'approve', toolCallId }],
    ['Deny', { type: 'deny', toolCallId, reason: 'Not now.' }],
  ]) {
    const button = document.createElement('button')
    button.textContent = label
    button.addEventListener('click', async () => {
      await post(`/api/runs/${runId}/answers`, answer)
      question.remove()
    })
    question.append(button)
  }
}

function show(name) {
  return section.appendChild(document.createElement(name))
}

function post(path, body) {
  return fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}
