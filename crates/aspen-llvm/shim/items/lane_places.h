// Where a lane's places lie beside those of other lanes.
#pragma once

#include "view.h"

namespace aspen::items {

class LanePlaces {
public:
  LanePlaces(const Function &F, const View &V);
  ~LanePlaces();

  // Whether a lane's second place may be the first one of a lane behind it. In the group's memory lanes' places may lie as far apart as only the launch knows:
  // nobody writes there by one distance and reads by another without waiting who does not count on lanes in step.
  bool isBehind(const Value *First, const Value *Second) const;

  // Whether a place can be read as the lane's number and what all lanes have in common.
  bool isKnown(const Value *Place) const;

  // Whether it is known besides that each lane has another one.
  bool isOwn(const Value *Place) const;

  // Whether both are known to be one place of the lane's.
  bool isSame(const Value *First, const Value *Second) const;

private:
  class Reader;
  std::unique_ptr<Reader> Reads;
};

} // namespace aspen::items
