import { expect, test } from '@playwright/test'
import type { Plan } from '#shared/contract/entities.ts'
import { expectSound, fund, newInvestor, widths } from './support/investor.ts'
import { ownProduct } from './support/own-product.ts'
import { browserOf, callApi, expectToast, phone, sample, signIn, tokenOf } from './support/people.ts'

/** A plan's terms are the whole firm's, so this product is this file's own. */
ownProduct('terms')

test('[D4, D-18] terms that change before the confirmation are shown beside the old ones', async ({
  browser,
  request,
}) => {
  const iris = await newInvestor(request)
  await fund(request, iris, 2000)
  const page = await browserOf(browser, phone)
  await signIn(page.request, page, iris.person)
  await page.goto('/dashboard/confirm-deposit?method=balance&amount=500&plan=Basic')
  await expect(page.getByText('9% over 30 days')).toBeVisible()

  const token = await tokenOf(request, sample('administrator'))
  const plans = await callApi<Plan[]>(request, 'GET', '/plan/get-all')
  const {
    _id,
    version: _version,
    changedAt: _changedAt,
    ...terms
  } = plans.find(({ name }) => name === 'Basic')!
  const body = { ...terms, percentage: 4.5, reason: 'Lower yields' }
  await callApi(request, 'PUT', `/plan/${_id}`, { token, body })

  await expect(page.getByRole('heading', { name: 'The terms of this plan have changed' })).toBeVisible()
  await expect(page.getByText('Basic: 9% over 30 days, $100 to $999')).toBeVisible()
  await expect(page.getByText('Basic: 4.5% over 30 days, $100 to $999')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Confirm payment' })).toHaveCount(0)
  await expectSound(page, widths)
  await page.getByRole('button', { name: 'Continue with the new terms' }).click()
  await expect(page.getByText('4.5% over 30 days')).toBeVisible()
  await page.getByRole('button', { name: 'Confirm payment' }).click()
  await expectToast(page, 'Investment initiated successfully')
  const [made] = await callApi<{ percentage: number }[]>(request, 'GET', '/investment/get-all-user', {
    token: iris.token,
  })
  expect(made).toMatchObject({ percentage: 4.5 })
})
