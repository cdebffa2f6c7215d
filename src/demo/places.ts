/**
 * Invented towns in real states. Telephone area codes are the state's; ZIP codes have a prefix within the state's range that the Postal
 * Service has given to no place, so that no letter can arrive anywhere.
 */
export type Place = {
  readonly city: string;
  readonly county: string;
  readonly state: string;
  readonly zipPrefix: string;
  readonly areaCodes: readonly string[];
  readonly dealer: { readonly id: string; readonly name: string };
};

export const PLACES: readonly Place[] = [
  {
    ...{ city: 'Port Pretend', county: 'Notional County', state: 'FL', zipPrefix: '345', areaCodes: ['813', '407'] },
    dealer: { id: 'DLR-1001', name: 'Pretend Auto Mall' },
  },
  {
    ...{ city: 'Mock Springs', county: 'Sample County', state: 'TX', zipPrefix: '771', areaCodes: ['512', '713'] },
    dealer: { id: 'DLR-1002', name: 'Sample Street Cars' },
  },
  {
    ...{ city: 'Mount Placebo', county: 'Fiction County', state: 'CO', zipPrefix: '818', areaCodes: ['303', '970'] },
    dealer: { id: 'DLR-1003', name: 'Notional Trucks' },
  },
  {
    ...{ city: 'Lake Invented', county: 'Assumed County', state: 'WI', zipPrefix: '533', areaCodes: ['608', '920'] },
    dealer: { id: 'DLR-1004', name: 'Example Motors' },
  },
  {
    ...{ city: 'Exampleton', county: 'Example County', state: 'IA', zipPrefix: '518', areaCodes: ['515', '319'] },
    dealer: { id: 'DLR-1005', name: 'Placeholder Cars' },
  },
  {
    ...{ city: 'Fabricville', county: 'Specimen County', state: 'KS', zipPrefix: '663', areaCodes: ['316', '785'] },
    dealer: { id: 'DLR-1006', name: 'Fabric Street Autos' },
  },
];
